package dev.sluice.lab.packetdrill;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** File descriptors under the numbers the script gives them. */
final class DescriptorTable {
    private static final int FIRST = 3;

    private final Map<Integer, Descriptor> open = new TreeMap<>();

    /**
     * Opens a descriptor under the number the script expects, so that later calls mean it, even if
     * an older one that is still open has it; the lowest free one if the script expects none.
     */
    int add(Descriptor descriptor, Expression expected) {
        int number = FIRST;
        while (open.containsKey(number)) {
            number++;
        }
        if (expected instanceof Expression.Number wanted && wanted.value() >= 0) {
            number = (int) wanted.value();
        }
        open.put(number, descriptor);
        return number;
    }

    /** The descriptor of a number, or null. */
    Descriptor get(int number) {
        return open.get(number);
    }

    /** Closes and returns it, or null. */
    Descriptor remove(int number) {
        return open.remove(number);
    }

    Collection<Descriptor> all() {
        return open.values();
    }
}
