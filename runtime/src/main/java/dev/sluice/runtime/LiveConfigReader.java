package dev.sluice.runtime;

import dev.sluice.config.Spelling;
import dev.sluice.config.StackConfig;
import dev.sluice.runtime.PropertyFile.Entry;
import dev.sluice.runtime.device.CableSpec;
import dev.sluice.runtime.device.TunSpec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Makes a {@link LiveConfig} of the assignments in a file. Every complaint names the line it is
 * about and what would be right.
 */
final class LiveConfigReader {
    private static final String STACK = "stack";
    private static final String CABLE = "cable";
    private static final String SYSCTL = "sysctl";
    private static final String DEVICE = "device";
    private static final String ADDRESS = "address";
    private static final String HOST = "host";
    private static final String MTU = "mtu";
    private static final String PLAIN = "plain";

    private static final List<String> STACK_KEYS = List.of(DEVICE, ADDRESS, HOST, MTU, PLAIN);
    private static final List<String> CABLE_KEYS =
            List.of(MTU, PLAIN, "rate", "queue", "delay", "loss", "seed");

    private static final String DEVICES = "cable:NAME, tun:NAME or none";

    /** Stands for the only stack of a file in the short form, whose keys do not name it. */
    private static final String UNNAMED = "";

    private static final String NAME_OF_UNNAMED = "default";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+");

    /** A group of assignments, by the last part of their keys. */
    private static final class Group {
        final String prefix;
        final int line;
        final Map<String, Entry> entries = new LinkedHashMap<>();
        final Map<String, Entry> sysctls = new LinkedHashMap<>();

        /** For a cable: the stacks on it. */
        final List<String> users = new ArrayList<>();

        Group(String prefix, int line) {
            this.prefix = prefix;
            this.line = line;
        }
    }

    private final PropertyFile file;
    private final Map<String, Group> stacks = new LinkedHashMap<>();
    private final Map<String, Group> cables = new LinkedHashMap<>();
    private final Map<String, Entry> sysctls = new LinkedHashMap<>();

    LiveConfigReader(PropertyFile file) {
        this.file = file;
    }

    LiveConfig read() throws LiveConfigException {
        for (Entry entry : file.entries()) {
            sort(entry);
        }
        if (stacks.isEmpty()) {
            throw file.error("it describes no stack: it needs at least device=" + DEVICES);
        }
        Group unnamed = stacks.get(UNNAMED);
        if (unnamed != null && stacks.size() > 1) {
            throw error(
                    unnamed.entries.values().iterator().next(),
                    "where stacks are named, every key of a stack begins with stack.NAME.");
        }
        List<StackPlan> plans = new ArrayList<>();
        for (Map.Entry<String, Group> stack : stacks.entrySet()) {
            String name = stack.getValue() == unnamed ? NAME_OF_UNNAMED : stack.getKey();
            plans.add(plan(name, stack.getValue()));
        }
        checkTunNames(plans);
        Map<String, CableSpec> specs = new LinkedHashMap<>();
        for (Map.Entry<String, Group> cable : cables.entrySet()) {
            specs.put(cable.getKey(), cable(cable.getKey(), cable.getValue()));
        }
        return new LiveConfig(List.copyOf(plans), specs);
    }

    // ---- which key it is ---------------------------------------------------------------------

    private void sort(Entry entry) throws LiveConfigException {
        String key = entry.key();
        String[] parts = key.split("\\.", 3);
        if (parts[0].equals(SYSCTL) && parts.length > 1) {
            sysctls.put(key.substring(SYSCTL.length() + 1), entry);
        } else if (parts[0].equals(STACK) && parts.length == 3) {
            Group group = group(stacks, STACK, parts[1], entry);
            if (parts[2].startsWith(SYSCTL + ".")) {
                group.sysctls.put(parts[2].substring(SYSCTL.length() + 1), entry);
            } else {
                put(group, parts[2], entry, STACK_KEYS);
            }
        } else if (parts[0].equals(CABLE) && parts.length == 3) {
            put(group(cables, CABLE, parts[1], entry), parts[2], entry, CABLE_KEYS);
        } else if (STACK_KEYS.contains(key)) {
            stacks.computeIfAbsent(UNNAMED, name -> new Group("", entry.line()))
                    .entries
                    .put(key, entry);
        } else {
            throw unknown(entry, candidates(parts));
        }
    }

    private Group group(Map<String, Group> groups, String kind, String name, Entry entry)
            throws LiveConfigException {
        if (!NAME.matcher(name).matches()) {
            throw error(
                    entry,
                    "the name of a %s is made of letters, digits, - and _, not \"%s\""
                            .formatted(kind, name));
        }
        return groups.computeIfAbsent(name, n -> new Group(kind + "." + n + ".", entry.line()));
    }

    private void put(Group group, String last, Entry entry, List<String> known)
            throws LiveConfigException {
        if (!known.contains(last)) {
            List<String> candidates = new ArrayList<>();
            known.forEach(k -> candidates.add(group.prefix + k));
            if (known == STACK_KEYS) {
                candidates.add(group.prefix + SYSCTL + "." + afterFirstDot(last));
            }
            throw unknown(entry, candidates);
        }
        group.entries.put(last, entry);
    }

    /** Keys that one which belongs nowhere may have been meant for. */
    private static List<String> candidates(String[] parts) {
        List<String> candidates = new ArrayList<>();
        boolean ofStack = parts[0].equals(STACK);
        boolean ofCable = parts[0].equals(CABLE);
        if (!ofStack && !ofCable) {
            candidates.addAll(STACK_KEYS);
            List<String> rest = List.of(parts).subList(1, parts.length);
            candidates.add(SYSCTL + "." + (rest.isEmpty() ? "KEY" : String.join(".", rest)));
        }
        String name = parts.length > 1 ? parts[1] : "NAME";
        if (!ofCable) {
            STACK_KEYS.forEach(k -> candidates.add(STACK + "." + name + "." + k));
        }
        if (!ofStack) {
            CABLE_KEYS.forEach(k -> candidates.add(CABLE + "." + name + "." + k));
        }
        return candidates;
    }

    private static String afterFirstDot(String key) {
        return key.substring(key.indexOf('.') + 1);
    }

    private LiveConfigException unknown(Entry entry, List<String> candidates) {
        return error(
                entry,
                "there is no key \"%s\"; the nearest is %s"
                        .formatted(entry.key(), Spelling.nearest(entry.key(), candidates)));
    }

    // ---- what a stack is ---------------------------------------------------------------------

    private StackPlan plan(String name, Group group) throws LiveConfigException {
        Entry device = group.entries.get(DEVICE);
        if (device == null) {
            throw file.error(
                    group.line,
                    "the stack has no %sdevice=%s".formatted(group.prefix, DEVICES),
                    null);
        }
        StackConfig config = config(group);
        List<AddressPrefix> addresses = addresses(group);
        int colon = device.value().indexOf(':');
        String kind = colon < 0 ? device.value() : device.value().substring(0, colon);
        String target = colon < 0 ? "" : device.value().substring(colon + 1);
        boolean none = kind.equals("none") && colon < 0;
        boolean known = kind.equals("cable") || kind.equals("tun");
        if (!none && (!known || target.isEmpty())) {
            throw error(device, "\"%s\" is not %s".formatted(device.value(), DEVICES));
        }
        if (kind.equals("tun")) {
            needAddress(group, addresses, device);
            return new StackPlan(name, config, null, tun(group, device, target), addresses);
        }
        for (String key : List.of(HOST, MTU, PLAIN)) {
            Entry misplaced = group.entries.get(key);
            if (misplaced != null) {
                boolean ofCable = kind.equals("cable") && !key.equals(HOST);
                throw error(
                        misplaced,
                        ofCable
                                ? "a cable has one for both its ends: write cable.%s.%s"
                                        .formatted(target, key)
                                : "%s is for a TUN device, and this stack is on %s"
                                        .formatted(key, device.value()));
            }
        }
        if (none) {
            return new StackPlan(name, config, null, null, addresses);
        }
        needAddress(group, addresses, device);
        group(cables, CABLE, target, device).users.add(name);
        return new StackPlan(name, config, target, null, addresses);
    }

    private void needAddress(Group group, List<AddressPrefix> addresses, Entry device)
            throws LiveConfigException {
        if (addresses.isEmpty()) {
            throw error(
                    device,
                    "the stack has no %saddress=IP/PREFIX to answer to".formatted(group.prefix));
        }
    }

    private StackConfig config(Group group) throws LiveConfigException {
        StackConfig.Builder builder = LiveStack.config();
        set(builder, sysctls);
        set(builder, group.sysctls);
        return builder.build();
    }

    private void set(StackConfig.Builder builder, Map<String, Entry> assignments)
            throws LiveConfigException {
        for (Map.Entry<String, Entry> assignment : assignments.entrySet()) {
            value(assignment.getValue(), text -> builder.set(assignment.getKey(), text));
        }
    }

    private List<AddressPrefix> addresses(Group group) throws LiveConfigException {
        List<AddressPrefix> addresses = new ArrayList<>();
        Entry entry = group.entries.get(ADDRESS);
        if (entry != null) {
            for (String one : entry.value().split(",", -1)) {
                AddressPrefix own = value(entry, text -> AddressPrefix.parse(one.strip()));
                if (own.address().isMulticast() || own.address().isUnspecified()) {
                    throw error(entry, own.address() + " is no address of a single host");
                }
                addresses.add(own);
            }
        }
        return addresses;
    }

    private TunSpec tun(Group group, Entry device, String name) throws LiveConfigException {
        boolean offload = !value(group.entries.get(PLAIN), Quantities::flag, false);
        Entry mtu = group.entries.get(MTU);
        Entry host = group.entries.get(HOST);
        if (host == null) {
            if (mtu != null) {
                throw error(
                        mtu,
                        "the MTU of a device that exists is its own ('ip link set %s mtu BYTES');"
                                        .formatted(name)
                                + " mtu is for one that is made, with %shost"
                                        .formatted(group.prefix));
            }
            return value(device, text -> TunSpec.attach(name, offload));
        }
        AddressPrefix kernel = value(host, AddressPrefix::parse);
        for (AddressPrefix own : addresses(group)) {
            if (own.address().equals(kernel.address())) {
                throw error(
                        host,
                        "%s is the stack's own address: the kernel needs another one"
                                .formatted(kernel.address()));
            }
        }
        int bytes = bounded(mtu, TunSpec.MIN_MTU, TunSpec.MAX_MTU, TunSpec.DEFAULT_MTU);
        return value(
                device,
                text -> TunSpec.create(name, offload, kernel.address(), kernel.length(), bytes));
    }

    private void checkTunNames(List<StackPlan> plans) throws LiveConfigException {
        Map<String, String> users = new LinkedHashMap<>();
        for (StackPlan plan : plans) {
            if (plan.tun() != null) {
                String before = users.putIfAbsent(plan.tun().name(), plan.name());
                if (before != null) {
                    throw error(
                            stacks.get(plan.name()).entries.get(DEVICE),
                            "%s is the device of stack %s already"
                                    .formatted(plan.tun().name(), before));
                }
            }
        }
    }

    // ---- what a cable is ---------------------------------------------------------------------

    private CableSpec cable(String name, Group group) throws LiveConfigException {
        if (group.users.size() != 2) {
            String on =
                    group.users.isEmpty() ? "no stack is" : String.join(", ", group.users) + " is";
            throw file.error(
                    group.line,
                    "a cable joins two stacks, and %s on cable:%s".formatted(on, name),
                    null);
        }
        Map<String, Entry> entries = group.entries;
        CableSpec spec =
                CableSpec.named(name)
                        .withMtu(
                                bounded(
                                        entries.get(MTU),
                                        CableSpec.MIN_MTU,
                                        CableSpec.MAX_MTU,
                                        CableSpec.DEFAULT_MTU));
        if (value(entries.get(PLAIN), Quantities::flag, false)) {
            spec = spec.plain();
        }
        CableSpec base = spec;
        long rate = value(entries.get("rate"), Quantities::rate, 0L);
        spec = with(entries.get("rate"), base, s -> s.withRate(rate, s.queueBytes()));
        Entry queue = entries.get("queue");
        if (queue != null && rate == 0) {
            throw error(
                    queue,
                    "only a cable with a rate has a queue: give cable.%s.rate too".formatted(name));
        }
        long queueBytes = value(queue, Quantities::size, spec.queueBytes());
        spec = with(queue, spec, s -> s.withRate(rate, queueBytes));
        long delay = value(entries.get("delay"), Quantities::time, 0L);
        spec = with(entries.get("delay"), spec, s -> s.withDelay(delay));
        int loss = value(entries.get("loss"), Quantities::perBillion, 0);
        long seed = value(entries.get("seed"), Quantities::number, spec.seed());
        return spec.withLoss(loss, seed);
    }

    /** What the specification itself refuses is about that entry. */
    private CableSpec with(Entry entry, CableSpec spec, Function<CableSpec, CableSpec> change)
            throws LiveConfigException {
        return entry == null ? spec : value(entry, text -> change.apply(spec));
    }

    // ---- values ------------------------------------------------------------------------------

    private int bounded(Entry entry, int least, int most, int otherwise)
            throws LiveConfigException {
        long number = value(entry, Quantities::number, (long) otherwise);
        if (number < least || number > most) {
            throw error(entry, "an MTU is %d to %d bytes, not %d".formatted(least, most, number));
        }
        return (int) number;
    }

    private <T> T value(Entry entry, Function<String, T> parser, T otherwise)
            throws LiveConfigException {
        return entry == null ? otherwise : value(entry, parser);
    }

    private <T> T value(Entry entry, Function<String, T> parser) throws LiveConfigException {
        try {
            return parser.apply(entry.value());
        } catch (IllegalArgumentException e) {
            throw file.error(entry.line(), entry.key() + ": " + e.getMessage(), e);
        }
    }

    private LiveConfigException error(Entry entry, String sentence) {
        return file.error(entry.line(), sentence, null);
    }
}
