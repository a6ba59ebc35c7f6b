package dev.sluice.runtime;

import dev.sluice.runtime.device.Cable;
import dev.sluice.runtime.device.CableSpec;
import dev.sluice.runtime.device.Device;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.device.NoDevice;
import dev.sluice.runtime.device.TunDevice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The running stacks of a {@link LiveConfig}, by name. */
public final class LiveStacks implements AutoCloseable {
    private final Map<String, LiveStack> byName = new LinkedHashMap<>();

    private LiveStacks() {}

    static LiveStacks open(LiveConfig config) throws DeviceException {
        LiveStacks stacks = new LiveStacks();
        Map<String, List<Device>> freeEnds = new LinkedHashMap<>();
        boolean complete = false;
        try {
            for (Map.Entry<String, CableSpec> entry : config.cables().entrySet()) {
                Cable cable = Cable.open(entry.getValue());
                freeEnds.put(
                        entry.getKey(), new ArrayList<>(List.of(cable.first(), cable.second())));
            }
            for (StackPlan plan : config.stacks()) {
                stacks.byName.put(plan.name(), stack(plan, device(plan, freeEnds)));
            }
            stacks.byName.forEach((name, stack) -> stack.publish(name));
            stacks.byName.values().forEach(LiveStack::start);
            complete = true;
            return stacks;
        } finally {
            if (!complete) {
                stacks.close();
                freeEnds.values().forEach(ends -> ends.forEach(Device::close));
            }
        }
    }

    private static Device device(StackPlan plan, Map<String, List<Device>> freeEnds)
            throws DeviceException {
        if (plan.cable() != null) {
            return freeEnds.get(plan.cable()).removeFirst();
        }
        return plan.tun() != null ? TunDevice.open(plan.tun()) : new NoDevice();
    }

    private static LiveStack stack(StackPlan plan, Device device) throws DeviceException {
        LiveStack stack;
        try {
            stack = new LiveStack(plan.config(), device);
        } catch (DeviceException e) {
            device.close();
            throw e;
        }
        for (AddressPrefix own : plan.addresses()) {
            stack.addAddress(own.address(), own.length());
        }
        return stack;
    }

    /** The first of the configuration. */
    public LiveStack first() {
        return byName.values().iterator().next();
    }

    /**
     * The stack of that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public LiveStack get(String name) {
        LiveStack stack = byName.get(name);
        if (stack == null) {
            throw new IllegalArgumentException(
                    "there is no stack \"%s\", only %s"
                            .formatted(name, String.join(", ", byName.keySet())));
        }
        return stack;
    }

    /** All names, in the order of the configuration. */
    public List<String> names() {
        return List.copyOf(byName.keySet());
    }

    /**
     * When the JVM ends, everything that is connected is closed in order, as a kernel does for a
     * process, and what is on its way gets as long to arrive.
     *
     * @param atMost how long the end may take
     */
    void finishWithJvm(Duration atMost) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> finishSending(atMost), "sluice-finish"));
    }

    /** All hang up before any is waited for: they may be each other's peers. */
    private void finishSending(Duration atMost) {
        byName.values().forEach(LiveStack::hangUp);
        for (LiveStack stack : byName.values()) {
            stack.awaitSent(stack.loop().now() + atMost.toNanos());
        }
    }

    /** Closes all, the last one first. */
    @Override
    public void close() {
        new ArrayList<>(byName.values()).reversed().forEach(LiveStack::close);
    }
}
