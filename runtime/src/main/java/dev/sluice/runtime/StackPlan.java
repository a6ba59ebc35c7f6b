package dev.sluice.runtime;

import dev.sluice.config.StackConfig;
import dev.sluice.runtime.device.TunSpec;

import java.util.List;

/**
 * What a configuration says about one stack.
 *
 * @param cable the cable it is on; null if it is on none
 * @param tun its TUN device; null if it has none. Without both it talks to itself only
 */
record StackPlan(
        String name,
        StackConfig config,
        String cable,
        TunSpec tun,
        List<AddressPrefix> addresses) {}
