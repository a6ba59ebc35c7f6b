package dev.sluice.tcp.congestion;

import java.util.Arrays;
import java.util.function.Supplier;

/**
 * The controllers a stack can choose from by name (tcp_available_congestion_control): {@code reno},
 * {@code cubic}, {@code dctcp}, {@code bbr}, and what the user adds.
 */
public final class CongestionControllers {
    private static final int MAX_NAME = 15;

    private String[] names = new String[0];
    private Supplier<CongestionController>[] suppliers = newArray(0);
    private boolean[] needEcn = new boolean[0];

    /**
     * Those that come with the stack.
     *
     * @param hystart how CUBIC leaves slow start: {@code hystart}, {@code hystart++} or {@code off}
     * @throws IllegalArgumentException if {@code hystart} is none of these
     */
    public CongestionControllers(String hystart) {
        register("reno", NewReno::new);
        register(
                "cubic",
                switch (hystart) {
                    case "hystart" -> Cubic::withHyStart;
                    case "hystart++" -> Cubic::withHyStartPlusPlus;
                    case "off" -> Cubic::withoutHyStart;
                    default -> throw new IllegalArgumentException("no HyStart " + hystart);
                });
        register("dctcp", Dctcp::new);
        register("bbr", Bbr::new);
    }

    /**
     * Adds a controller or replaces the one of that name.
     *
     * @param name at most 15 characters (Linux TCP_CA_NAME_MAX without its terminator)
     * @param supplier makes one for each connection; asked for one here, to know what it needs
     * @throws IllegalArgumentException if the name is empty or too long, or not that of what the
     *     supplier makes
     */
    public void register(String name, Supplier<CongestionController> supplier) {
        CongestionController example = supplier.get();
        if (name.isEmpty() || name.length() > MAX_NAME || !name.equals(example.name())) {
            throw new IllegalArgumentException(
                    "cannot register \"%s\" as \"%s\"".formatted(example.name(), name));
        }
        int index = indexOf(name);
        if (index < 0) {
            index = names.length;
            names = Arrays.copyOf(names, index + 1);
            suppliers = Arrays.copyOf(suppliers, index + 1);
            needEcn = Arrays.copyOf(needEcn, index + 1);
            names[index] = name;
        }
        suppliers[index] = supplier;
        needEcn[index] = example.needsEcn();
    }

    public boolean isKnown(String name) {
        return indexOf(name) >= 0;
    }

    /** Whether the controller of that name needs ECN; false if there is none of that name. */
    public boolean needsEcn(String name) {
        int index = indexOf(name);
        return index >= 0 && needEcn[index];
    }

    /** The known names, in order of registration. */
    public String[] names() {
        return names.clone();
    }

    /**
     * A controller for one connection.
     *
     * @throws IllegalArgumentException if the name is not known
     */
    public CongestionController create(String name) {
        int index = indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "no congestion control " + name + "; there is " + String.join(", ", names));
        }
        return suppliers[index].get();
    }

    private int indexOf(String name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }

    @SuppressWarnings("unchecked")
    private static Supplier<CongestionController>[] newArray(int length) {
        return (Supplier<CongestionController>[]) new Supplier<?>[length];
    }
}
