package dev.sluice.tcp;

import dev.sluice.trace.Counter;
import dev.sluice.wire.TcpHeader;

import java.util.Arrays;

/**
 * Connections in TIME-WAIT, as rows instead of objects (RFC 9293 section 3.6.1, B-10.9): enough to
 * answer stray segments and to let a new incarnation in when that is safe.
 *
 * <p>Rows expire in the order they were (re)started, because all wait equally long; a list through
 * the rows keeps that order. Lookup is an open-addressed table of row numbers.
 */
public final class TimeWaitTable {
    /** No such row. */
    public static final int NONE = -1;

    /** Result of {@link #onSegment}: nothing more to do. */
    public static final int HANDLED = 0;

    /**
     * Result of {@link #onSegment}: the row is gone; treat the segment as a SYN for the listener.
     */
    public static final int NEW_INCARNATION = 1;

    /** Numbers in each row of {@link #rows}. */
    public static final int ROW_FIELDS = 6;

    private final TcpContext context;
    private final long periodNanos;
    private final long key;

    // Rows.
    private long[] addresses = new long[0]; // local hi, lo, remote hi, lo
    private int[] ports = new int[0];
    private int[] sndNxt = new int[0];
    private int[] rcvNxt = new int[0];
    private int[] window = new int[0];
    private int[] tsRecent = new int[0];
    private int[] tsOffset = new int[0];
    private boolean[] timestamps = new boolean[0];
    private long[] expires = new long[0];
    private long[] lastReply = new long[0];
    private Route[] routes = new Route[0];
    private int[] newer = new int[0];
    private int[] older = new int[0];

    private int[] table = new int[0];
    private int free = NONE;
    private int oldest = NONE;
    private int newest = NONE;
    private int count;

    /** ISS for the new incarnation that {@link #NEW_INCARNATION} announces. */
    private int nextIss;

    TimeWaitTable(TcpContext context, long periodNanos, long key) {
        this.context = context;
        this.periodNanos = periodNanos;
        this.key = key;
    }

    public int count() {
        return count;
    }

    /**
     * All rows, the oldest first, for listings: local and remote address, each in two halves, the
     * local port times 65,536 plus the remote one, and when it expires.
     */
    public long[] rows() {
        long[] all = new long[ROW_FIELDS * count];
        int at = 0;
        for (int row = oldest; row != NONE; row = newer[row]) {
            System.arraycopy(addresses, 4 * row, all, at, 4);
            all[at + 4] = ports[row] & 0xffff_ffffL;
            all[at + 5] = expires[row];
            at += ROW_FIELDS;
        }
        return all;
    }

    /** When the oldest row expires; Long.MAX_VALUE if there is none. */
    public long earliest() {
        return oldest == NONE ? Long.MAX_VALUE : expires[oldest];
    }

    /** Drops every row whose time is over. */
    public void expire(long now) {
        while (oldest != NONE && expires[oldest] <= now) {
            remove(oldest);
        }
    }

    /** The connection has sent and received everything; only this row remains of it. */
    void add(long now, TcpConnection c) {
        if (count >= context.config.maxTimeWait) {
            context.count(Counter.TCP_TIME_WAIT_OVERFLOW);
            return;
        }
        context.count(Counter.TW);
        if (free == NONE) {
            grow();
        }
        int row = free;
        free = newer[row];
        addresses[4 * row] = c.localHi;
        addresses[4 * row + 1] = c.localLo;
        addresses[4 * row + 2] = c.remoteHi;
        addresses[4 * row + 3] = c.remoteLo;
        ports[row] = c.localPort << 16 | c.remotePort;
        sndNxt[row] = c.sequence.wireSend(c.sendWindow.sndNxt);
        rcvNxt[row] = c.sequence.wireReceive(c.receiveWindow.rcvNxt);
        window[row] = c.receiveWindow.offered() >> c.receiveWindow.rcvWindShift;
        timestamps[row] = c.timestamps.enabled;
        tsRecent[row] = c.timestamps.tsRecent;
        tsOffset[row] = c.timestamps.clock(now) - Timestamps.baseClock(now);
        routes[row] = c.route;
        lastReply[row] = Long.MIN_VALUE / 2;
        count++;
        insert(row);
        append(now, row);
    }

    /** The row of a 4-tuple, or {@link #NONE}. */
    public int find(
            long localHi,
            long localLo,
            int localPort,
            long remoteHi,
            long remoteLo,
            int remotePort) {
        if (count == 0) {
            return NONE;
        }
        int wanted = localPort << 16 | remotePort;
        int slot = hash(localHi, localLo, remoteHi, remoteLo, wanted);
        while (table[slot] != 0) {
            int row = table[slot] - 1;
            if (ports[row] == wanted
                    && addresses[4 * row + 3] == remoteLo
                    && addresses[4 * row + 2] == remoteHi
                    && addresses[4 * row + 1] == localLo
                    && addresses[4 * row] == localHi) {
                return row;
            }
            slot = slot + 1 & table.length - 1;
        }
        return NONE;
    }

    /** Whether an active open may take this row's ports over (RFC 6191 in spirit, B-10.9). */
    public boolean mayReuse(long now, int row, long delayNanos) {
        return timestamps[row] && now - (expires[row] - periodNanos) >= delayNanos;
    }

    public int nextIss() {
        return nextIss;
    }

    /**
     * A segment for a row: RFC 9293 section 3.10.7.4 in state TIME-WAIT, with RFC 1337 and RFC
     * 6191.
     */
    public int onSegment(long now, int row, TcpHeader header, int payloadLength) {
        boolean stamped = timestamps[row] && header.options().hasTimestamps();
        int newerBy = stamped ? header.options().tsVal() - tsRecent[row] : 0;
        boolean old = stamped && newerBy < 0;
        boolean rst = header.isRst();
        int length = payloadLength + (header.isSyn() ? 1 : 0) + (header.isFin() ? 1 : 0);
        if (!old && header.segSeq() == rcvNxt[row] && (length == 0 || rst)) {
            if (rst) {
                if (!context.config.rfc1337) {
                    remove(row);
                }
                return HANDLED;
            }
            restart(now, row);
            if (stamped) {
                tsRecent[row] = header.options().tsVal();
            }
            return HANDLED;
        }
        if (header.isSyn()
                && !rst
                && !header.isAck()
                && !old
                && (header.segSeq() - rcvNxt[row] > 0 || stamped && newerBy > 0)) {
            nextIss = sndNxt[row] + 65_537;
            remove(row);
            return NEW_INCARNATION;
        }
        if (!header.isAck() && context.customs.timeWaitNeedsAck()) {
            return HANDLED;
        }
        if (old) {
            context.count(Counter.PAWS_TIMEWAIT);
        }
        if (!rst && (old || header.isAck())) {
            restart(now, row);
        }
        if (!rst) {
            acknowledge(now, row, length > 0 && !header.isSyn());
        }
        return HANDLED;
    }

    /**
     * @param unlimited sequence space but no SYN: not part of a loop of ACKs, always answered
     */
    private void acknowledge(long now, int row, boolean unlimited) {
        if (!unlimited && now - lastReply[row] < context.config.invalidRatelimitNanos) {
            context.count(Counter.TCP_ACK_SKIPPED_TIME_WAIT);
            return;
        }
        lastReply[row] = now;
        context.replies.acknowledge(
                routes[row],
                addresses[4 * row],
                addresses[4 * row + 1],
                addresses[4 * row + 2],
                addresses[4 * row + 3],
                ports[row] >>> 16,
                ports[row] & 0xffff,
                sndNxt[row],
                rcvNxt[row],
                window[row],
                timestamps[row],
                Timestamps.baseClock(now) + tsOffset[row],
                tsRecent[row]);
    }

    private void restart(long now, int row) {
        unlink(row);
        append(now, row);
    }

    private void append(long now, int row) {
        expires[row] = now + periodNanos;
        older[row] = newest;
        newer[row] = NONE;
        if (newest == NONE) {
            oldest = row;
        } else {
            newer[newest] = row;
        }
        newest = row;
    }

    private void unlink(int row) {
        if (older[row] == NONE) {
            oldest = newer[row];
        } else {
            newer[older[row]] = newer[row];
        }
        if (newer[row] == NONE) {
            newest = older[row];
        } else {
            older[newer[row]] = older[row];
        }
    }

    /** Ends all rows early. */
    public void clear() {
        while (oldest != NONE) {
            remove(oldest);
        }
    }

    /** Ends a row early: reset, reuse. */
    public void remove(int row) {
        unlink(row);
        removeFromTable(row);
        routes[row] = null;
        newer[row] = free;
        free = row;
        count--;
    }

    // ---- the table ---------------------------------------------------------------------------

    private int hash(long localHi, long localLo, long remoteHi, long remoteLo, int bothPorts) {
        long h = key ^ bothPorts;
        h = (h ^ remoteLo) * 0x9e37_79b9_7f4a_7c15L;
        h = (h ^ h >>> 32 ^ remoteHi) * 0xbf58_476d_1ce4_e5b9L;
        h = (h ^ h >>> 32 ^ localLo) * 0x94d0_49bb_1331_11ebL;
        h = (h ^ h >>> 32 ^ localHi) * 0x9e37_79b9_7f4a_7c15L;
        return (int) (h >>> 33) & table.length - 1;
    }

    private int home(int row) {
        return hash(
                addresses[4 * row],
                addresses[4 * row + 1],
                addresses[4 * row + 2],
                addresses[4 * row + 3],
                ports[row]);
    }

    private void insert(int row) {
        int slot = home(row);
        while (table[slot] != 0) {
            slot = slot + 1 & table.length - 1;
        }
        table[slot] = row + 1;
    }

    /** Backward-shift deletion, so that no tombstones gather. */
    private void removeFromTable(int row) {
        int mask = table.length - 1;
        int hole = home(row);
        while (table[hole] != row + 1) {
            hole = hole + 1 & mask;
        }
        int slot = hole;
        while (true) {
            slot = slot + 1 & mask;
            if (table[slot] == 0) {
                break;
            }
            int wanted = home(table[slot] - 1);
            if ((slot - wanted & mask) >= (slot - hole & mask)) {
                table[hole] = table[slot];
                hole = slot;
            }
        }
        table[hole] = 0;
    }

    private void grow() {
        int from = ports.length;
        int to = Math.max(16, from * 2);
        addresses = Arrays.copyOf(addresses, 4 * to);
        ports = Arrays.copyOf(ports, to);
        sndNxt = Arrays.copyOf(sndNxt, to);
        rcvNxt = Arrays.copyOf(rcvNxt, to);
        window = Arrays.copyOf(window, to);
        tsRecent = Arrays.copyOf(tsRecent, to);
        tsOffset = Arrays.copyOf(tsOffset, to);
        timestamps = Arrays.copyOf(timestamps, to);
        expires = Arrays.copyOf(expires, to);
        lastReply = Arrays.copyOf(lastReply, to);
        routes = Arrays.copyOf(routes, to);
        newer = Arrays.copyOf(newer, to);
        older = Arrays.copyOf(older, to);
        table = new int[2 * to];
        for (int row = oldest; row != NONE; row = newer[row]) {
            insert(row);
        }
        for (int row = to - 1; row >= from; row--) {
            newer[row] = free;
            free = row;
        }
    }
}
