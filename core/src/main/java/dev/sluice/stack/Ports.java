package dev.sluice.stack;

import dev.sluice.tcp.TimeWaitTable;

/**
 * Local ports of active opens: a keyed hash of the destination plus a step, so that they are hard
 * to guess and seldom repeat (RFC 6056 section 3.3.3, B-10.13).
 */
final class Ports {
    private final Demux demux;
    private final TimeWaitTable timeWait;
    private final int first;
    private final int last;
    private final long key;
    private int step;

    Ports(Demux demux, TimeWaitTable timeWait, int first, int last, long key) {
        this.demux = demux;
        this.timeWait = timeWait;
        this.first = first;
        this.last = last;
        this.key = key;
    }

    /** A free port for this destination, or -1 if all are taken. */
    int choose(long localHi, long localLo, long remoteHi, long remoteLo, int remotePort) {
        int range = last - first + 1;
        long h = (key ^ remoteLo ^ (long) remotePort << 48) * 0x9e37_79b9_7f4a_7c15L;
        h = (h ^ h >>> 29 ^ remoteHi ^ localLo) * 0xbf58_476d_1ce4_e5b9L;
        int start = (int) Long.remainderUnsigned(h ^ h >>> 31, range);
        for (int i = 0; i < range; i++) {
            int port = first + (int) (Integer.toUnsignedLong(start + step++) % range);
            if (demux.find(localHi, localLo, port, remoteHi, remoteLo, remotePort) == null
                    && !demux.hasListener(localHi, localLo, port)
                    && timeWait.find(localHi, localLo, port, remoteHi, remoteLo, remotePort)
                            == TimeWaitTable.NONE) {
                return port;
            }
        }
        return -1;
    }
}
