package dev.sluice.stack;

import dev.sluice.wire.IpAddress;

/**
 * The datagram sockets of a stack by local port, newest first in each bucket: which of them a
 * datagram is for, and whether one may have an address that others have (Linux {@code udp_table}).
 */
final class UdpTable {
    private static final int CONNECTED = 4;
    private static final int ADDRESS = 2;
    private static final int FAMILY = 1;

    private final long key;
    private UdpEndpoint[] buckets = new UdpEndpoint[64];
    private int count;

    UdpTable(long key) {
        this.key = key;
    }

    int count() {
        return count;
    }

    void add(UdpEndpoint e) {
        if (count == buckets.length) {
            grow();
        }
        insert(e);
        count++;
    }

    private void insert(UdpEndpoint e) {
        int bucket = e.localPort & buckets.length - 1;
        e.nextInBucket = buckets[bucket];
        buckets[bucket] = e;
    }

    private void grow() {
        UdpEndpoint[] old = buckets;
        buckets = new UdpEndpoint[old.length * 2];
        for (UdpEndpoint bucket : old) {
            // Reversed first, so that inserting in front keeps the order.
            UdpEndpoint reversed = null;
            for (UdpEndpoint e = bucket; e != null; ) {
                UdpEndpoint next = e.nextInBucket;
                e.nextInBucket = reversed;
                reversed = e;
                e = next;
            }
            for (UdpEndpoint e = reversed; e != null; ) {
                UdpEndpoint next = e.nextInBucket;
                insert(e);
                e = next;
            }
        }
    }

    void remove(UdpEndpoint gone) {
        int bucket = gone.localPort & buckets.length - 1;
        UdpEndpoint previous = null;
        for (UdpEndpoint e = buckets[bucket]; e != null; e = e.nextInBucket) {
            if (e == gone) {
                if (previous == null) {
                    buckets[bucket] = e.nextInBucket;
                } else {
                    previous.nextInBucket = e.nextInBucket;
                }
                e.nextInBucket = null;
                count--;
                return;
            }
            previous = e;
        }
    }

    /**
     * The socket a datagram is for: connected to its sender, else bound to its destination, else to
     * any address; among equals the newest, or, if they share the port with SO_REUSEPORT, the one
     * that the 4-tuple chooses.
     */
    UdpEndpoint find(
            long localHi,
            long localLo,
            int localPort,
            long remoteHi,
            long remoteLo,
            int remotePort) {
        UdpEndpoint best = null;
        int bestScore = -1;
        int sharing = 0;
        UdpEndpoint first = buckets[localPort & buckets.length - 1];
        for (UdpEndpoint e = first; e != null; e = e.nextInBucket) {
            int score = score(e, localHi, localLo, localPort, remoteHi, remoteLo, remotePort);
            if (score > bestScore) {
                best = e;
                bestScore = score;
                sharing = 1;
            } else if (score >= 0 && score == bestScore && e.reusePort && best.reusePort) {
                sharing++;
            }
        }
        if (sharing < 2 || best.connected) {
            return best;
        }
        long h = (key ^ remoteLo ^ (long) remotePort << 48) * 0x9e37_79b9_7f4a_7c15L;
        h = (h ^ h >>> 32 ^ localLo ^ remoteHi) * 0xbf58_476d_1ce4_e5b9L;
        int chosen = (int) Long.remainderUnsigned(h ^ h >>> 31, sharing);
        for (UdpEndpoint e = best; e != null; e = e.nextInBucket) {
            if (e.reusePort
                    && score(e, localHi, localLo, localPort, remoteHi, remoteLo, remotePort)
                            == bestScore
                    && chosen-- == 0) {
                return e;
            }
        }
        return best;
    }

    private static int score(
            UdpEndpoint e,
            long localHi,
            long localLo,
            int localPort,
            long remoteHi,
            long remoteLo,
            int remotePort) {
        if (e.localPort != localPort) {
            return -1;
        }
        int score = e.ipv4Only ? FAMILY : 0;
        if (e.localLo == localLo && e.localHi == localHi) {
            score += ADDRESS;
        } else if (!takesAny(e, localHi, localLo)) {
            return -1;
        }
        if (e.connected) {
            boolean fromPeer =
                    e.remotePort == remotePort && e.remoteLo == remoteLo && e.remoteHi == remoteHi;
            return fromPeer ? score + CONNECTED : -1;
        }
        return score;
    }

    /** Whether a socket that is bound to no address takes datagrams to this one. */
    private static boolean takesAny(UdpEndpoint e, long hi, long lo) {
        if (!IpAddress.isUnspecified(e.localHi, e.localLo)) {
            return false;
        }
        boolean ipv4 = IpAddress.isIpv4(hi, lo);
        return e.localLo == Udp.ANY4_LO ? ipv4 : !ipv4 || !e.ipv6Only;
    }

    /**
     * The next socket after {@code previous} that a broadcast is for; null for the first and after
     * the last. Every one gets it that is bound to the broadcast address or to none and not
     * connected to somebody else.
     */
    UdpEndpoint nextForBroadcast(
            UdpEndpoint previous,
            long localHi,
            long localLo,
            int localPort,
            long remoteHi,
            long remoteLo,
            int remotePort) {
        UdpEndpoint e =
                previous == null ? buckets[localPort & buckets.length - 1] : previous.nextInBucket;
        while (e != null
                && score(e, localHi, localLo, localPort, remoteHi, remoteLo, remotePort) < 0) {
            e = e.nextInBucket;
        }
        return e;
    }

    /** Whether another socket has the port in a way that this one cannot share. */
    boolean conflicts(UdpEndpoint wanted, long hi, long lo, int port) {
        for (UdpEndpoint e = buckets[port & buckets.length - 1]; e != null; e = e.nextInBucket) {
            if (e != wanted
                    && e.localPort == port
                    && overlap(e, wanted, hi, lo)
                    && !(e.reuseAddress && wanted.reuseAddress)
                    && !(e.reusePort && wanted.reusePort)) {
                return true;
            }
        }
        return false;
    }

    private static boolean overlap(UdpEndpoint e, UdpEndpoint wanted, long hi, long lo) {
        if (e.localHi == hi && e.localLo == lo) {
            return true;
        }
        if (takesAny(e, hi, lo)) {
            return true;
        }
        if (!IpAddress.isUnspecified(hi, lo)) {
            return false;
        }
        boolean otherIsIpv4 = IpAddress.isIpv4(e.localHi, e.localLo);
        return lo == Udp.ANY4_LO ? otherIsIpv4 : !otherIsIpv4 || !wanted.ipv6Only;
    }

    /** Whether any socket has the port, however it shares it. */
    boolean isUsed(int port) {
        for (UdpEndpoint e = buckets[port & buckets.length - 1]; e != null; e = e.nextInBucket) {
            if (e.localPort == port) {
                return true;
            }
        }
        return false;
    }

    void checkInvariants() {
        int found = 0;
        for (int i = 0; i < buckets.length; i++) {
            for (UdpEndpoint e = buckets[i]; e != null; e = e.nextInBucket) {
                found++;
                if (e.localPort == 0 || (e.localPort & buckets.length - 1) != i) {
                    throw new AssertionError("socket of port " + e.localPort + " in bucket " + i);
                }
                e.checkInvariants();
            }
        }
        if (found != count) {
            throw new AssertionError(found + " sockets in the table, counted " + count);
        }
    }
}
