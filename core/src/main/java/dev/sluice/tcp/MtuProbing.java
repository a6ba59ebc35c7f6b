package dev.sluice.tcp;

/**
 * The search of a connection for the largest packet its path takes, by segments it would have to
 * send anyway (RFC 4821, RFC 8899, B-11.5). Sizes are of whole IP packets, in bytes. Made when the
 * search begins.
 */
final class MtuProbing {
    /** Packets of this size get through. */
    private int low;

    /** Larger ones do not. */
    private int high;

    /** Of the probe in flight; 0 for none. */
    private int probe;

    private long probeStart;
    private long probeEnd;

    /** When the present round began. */
    private long since;

    /** A new round of the search. */
    void begin(long now, int lowest, int highest) {
        low = lowest;
        high = highest;
        probe = 0;
        since = now;
    }

    int low() {
        return low;
    }

    int high() {
        return high;
    }

    /** What to try next. */
    int middle() {
        return low + high >> 1;
    }

    long since() {
        return since;
    }

    /** The path was found to take no more than {@code mtu}. */
    void bound(int mtu) {
        high = Math.min(high, mtu);
    }

    /** Even {@code low} did not get through. */
    void lower(int mtu) {
        low = mtu;
    }

    boolean isProbing() {
        return probe > 0;
    }

    int probe() {
        return probe;
    }

    /** A probe left that covers these offsets. */
    void sent(int size, long start, long end) {
        probe = size;
        probeStart = start;
        probeEnd = end;
    }

    /** The probe is the first thing that is missing. */
    boolean isHead(long una) {
        return probe > 0 && una == probeStart;
    }

    boolean isAcknowledged(long una) {
        return probe > 0 && una >= probeEnd;
    }

    void succeeded() {
        low = probe;
        probe = 0;
    }

    void failed() {
        high = probe - 1;
        probe = 0;
    }

    /** Something else went wrong meanwhile: the probe says nothing. */
    void inconclusive() {
        probe = 0;
    }
}
