package dev.sluice.stack;

import dev.sluice.wire.IpAddress;

import java.util.Arrays;

/**
 * Which interface a destination is reached by: the longest matching prefix, else the only
 * interface.
 */
final class Routes {
    private long[] destinations = new long[0];
    private int[] lengths = new int[0];
    private Interface[] interfaces = new Interface[0];
    private int count;

    void add(IpAddress destination, int prefixLength, Interface via) {
        if (count == interfaces.length) {
            int to = Math.max(4, count * 2);
            destinations = Arrays.copyOf(destinations, 2 * to);
            lengths = Arrays.copyOf(lengths, to);
            interfaces = Arrays.copyOf(interfaces, to);
        }
        destinations[2 * count] = destination.hi();
        destinations[2 * count + 1] = destination.lo();
        lengths[count] = prefixLength;
        interfaces[count] = via;
        count++;
    }

    /** The interface for a destination elsewhere; null if there is no route. */
    Interface find(long hi, long lo, Interface[] all, int interfaceCount) {
        Interface some = null;
        int candidates = 0;
        for (int i = 0; i < interfaceCount; i++) {
            if (all[i].isLoopback()) {
                continue;
            }
            if (all[i].reaches(hi, lo)) {
                return all[i];
            }
            some = all[i];
            candidates++;
        }
        boolean ipv4 = IpAddress.isIpv4(hi, lo);
        Interface best = null;
        int longest = -1;
        for (int i = 0; i < count; i++) {
            long toHi = destinations[2 * i];
            long toLo = destinations[2 * i + 1];
            if (ipv4 == IpAddress.isIpv4(toHi, toLo)
                    && lengths[i] > longest
                    && IpAddress.inPrefix(hi, lo, toHi, toLo, lengths[i])) {
                best = interfaces[i];
                longest = lengths[i];
            }
        }
        return best == null && candidates == 1 ? some : best;
    }
}
