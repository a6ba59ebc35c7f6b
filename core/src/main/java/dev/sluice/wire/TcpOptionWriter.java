package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/**
 * Lays out the options of one outgoing TCP header; kept by the transmitter and refilled for every
 * segment: {@link #clear}, then the options, then {@link #length} and {@link #write}.
 *
 * <p>The layout is that of the Linux kernel, which packs options into whole 32-bit words and fills
 * with NOP in front: MD5, MSS, timestamps (in a SYN with SACK-permitted in front of them where the
 * NOPs would be), AccECN, SACK-permitted, window scale, SACK blocks, Fast Open. {@link
 * SynOrder#FREEBSD} lays out a SYN as FreeBSD does.
 *
 * <p>SACK blocks give way: as many go out as fit into the room left by the other options. That the
 * others fit into 40 bytes together is the caller's business.
 */
public final class TcpOptionWriter {
    /** How the options of a SYN are arranged. */
    public enum SynOrder {
        /** {@code mss, sackOK, TS, nop, wscale} or {@code mss, nop, nop, sackOK, nop, wscale}. */
        LINUX,

        /** {@code mss, nop, wscale, sackOK, TS}, padded with {@code eol}. */
        FREEBSD
    }

    /** Bytes that timestamps take in an established segment, NOPs included. */
    public static final int TIMESTAMPS_LENGTH = 12;

    private static final int NOP = TcpOptions.NOP;

    private int mss;
    private int windowScale;
    private boolean sackPermitted;
    private boolean timestamps;
    private int tsVal;
    private int tsEcr;
    private int sackCount;
    private final int[] sackEdges = new int[2 * TcpOptions.MAX_SACK_BLOCKS];
    private int cookieLength;
    private boolean cookieExperimental;
    private long cookieHi;
    private long cookieLo;
    private boolean md5;
    private int accEcnCounters;
    private boolean accEcnE0First;
    private int accEcnE0;
    private int accEcnCe;
    private int accEcnE1;

    /** A writer without options. */
    public TcpOptionWriter() {
        clear();
    }

    /** No options at all. */
    public void clear() {
        mss = 0;
        windowScale = -1;
        sackPermitted = false;
        timestamps = false;
        sackCount = 0;
        cookieLength = -1;
        md5 = false;
        accEcnCounters = -1;
    }

    /** Maximum segment size in bytes, 1 to 65,535. */
    public void mss(int bytes) {
        mss = bytes;
    }

    /** Window scale, a shift of 0 to 14. */
    public void windowScale(int shift) {
        windowScale = shift;
    }

    public void sackPermitted() {
        sackPermitted = true;
    }

    public void timestamps(int val, int ecr) {
        timestamps = true;
        tsVal = val;
        tsEcr = ecr;
    }

    /** Adds a SACK block of 32-bit sequence numbers, most important first; a fifth is ignored. */
    public void sackBlock(int left, int right) {
        if (sackCount < TcpOptions.MAX_SACK_BLOCKS) {
            sackEdges[2 * sackCount] = left;
            sackEdges[2 * sackCount + 1] = right;
            sackCount++;
        }
    }

    /**
     * Fast Open cookie (RFC 7413).
     *
     * @param length bytes of the cookie, 0 for a request, else 4 to 16 and even
     * @param hi the first eight bytes, first byte most significant
     * @param lo the next eight bytes
     * @param experimental option 254 instead of option 34
     */
    public void fastOpen(int length, long hi, long lo, boolean experimental) {
        cookieLength = length;
        cookieHi = hi;
        cookieLo = lo;
        cookieExperimental = experimental;
    }

    /** Reserves an MD5 signature (RFC 2385); its 16 bytes are written as zeros, 4 bytes in. */
    public void md5() {
        md5 = true;
    }

    /**
     * AccECN byte counters, of which the low 24 bits go out (RFC 9768 section 3.2.3).
     *
     * @param counters how many of the three fit or are needed, 0 to 3
     * @param e0First order ECT(0), CE, ECT(1), kind 172; else ECT(1), CE, ECT(0), kind 174
     */
    public void accEcn(int counters, boolean e0First, int e0, int ce, int e1) {
        accEcnCounters = counters;
        accEcnE0First = e0First;
        accEcnE0 = e0;
        accEcnCe = ce;
        accEcnE1 = e1;
    }

    /** Bytes the options take in Linux's layout, a multiple of 4. */
    public int length() {
        int base = baseLength();
        int blocks = sackBlocksIn(TcpHeader.MAX_OPTIONS - base);
        if (blocks > 0) {
            return base + 4 + 8 * blocks;
        }
        return base + (accEcnNeedsPadding() ? 4 : 0);
    }

    /** Bytes the options take in the given layout, a multiple of 4. */
    public int length(SynOrder order) {
        if (!isFreeBsdSyn(order)) {
            return length();
        }
        int length = (mss > 0 ? 4 : 0) + (windowScale >= 0 ? 4 : 0) + (sackPermitted ? 2 : 0);
        if (timestamps) {
            length += (2 - length & 3) + 10;
        }
        if (cookieLength >= 0) {
            length += cookieOptionLength();
        }
        return length + 3 & ~3;
    }

    private boolean isFreeBsdSyn(SynOrder order) {
        boolean syn = mss > 0 || windowScale >= 0 || sackPermitted || cookieLength >= 0;
        return order == SynOrder.FREEBSD && syn && !md5 && accEcnCounters < 0;
    }

    /** Drops SACK blocks until the options take no more than {@code bytes}, as far as that goes. */
    public void limitSackTo(int bytes) {
        sackCount = sackBlocksIn(Math.min(bytes, TcpHeader.MAX_OPTIONS) - baseLength());
    }

    /** SACK blocks that will go out. */
    public int sackBlocks() {
        return sackBlocksIn(TcpHeader.MAX_OPTIONS - baseLength());
    }

    private int sackBlocksIn(int room) {
        return Math.max(0, Math.min(sackCount, (room - 4) >> 3));
    }

    /** Everything but SACK, and of AccECN the whole words only. */
    private int baseLength() {
        int length = (md5 ? 20 : 0) + (mss > 0 ? 4 : 0) + (timestamps ? TIMESTAMPS_LENGTH : 0);
        if (windowScale >= 0) {
            length += 4;
        }
        if (sackPermitted && !timestamps) {
            length += 4;
        }
        if (cookieLength >= 0) {
            length += cookieOptionLength() + 3 & ~3;
        }
        // Three counters leave a byte over that is filled up at once.
        return length + (accEcnCounters < 0 ? 0 : 2 + 3 * accEcnCounters + 1 & ~3);
    }

    private int cookieOptionLength() {
        return cookieLength + (cookieExperimental ? 4 : 2);
    }

    /**
     * AccECN with no or one counter ends two bytes or one byte into a word. These take the place of
     * the NOPs of a later option: a pair of them, or, if it is only one byte, the single one of
     * window scale. Only where there is no such option do they cost a word.
     */
    private boolean accEcnNeedsPadding() {
        boolean pair = sackPermitted && !timestamps;
        return accEcnCounters == 0 && !pair || accEcnCounters == 1 && !pair && windowScale < 0;
    }

    /**
     * Writes the options in Linux's layout.
     *
     * @return their length in bytes, a multiple of 4
     */
    public int write(MemorySegment segment, long start) {
        return write(segment, start, SynOrder.LINUX);
    }

    /**
     * Writes the options. The order applies to a SYN without MD5 and AccECN; everything else looks
     * the same in both.
     *
     * @return their length in bytes, a multiple of 4
     */
    public int write(MemorySegment segment, long start, SynOrder order) {
        if (isFreeBsdSyn(order)) {
            return (int) (writeFreeBsdSyn(segment, start) - start);
        }
        return (int) (writeLinux(segment, start) - start);
    }

    private long writeLinux(MemorySegment segment, long start) {
        long at = start;
        if (md5) {
            put4(segment, at, NOP, NOP, TcpOptions.MD5, 18);
            BigEndian.put64(segment, at + 4, 0);
            BigEndian.put64(segment, at + 12, 0);
            at += 20;
        }
        if (mss > 0) {
            put4(segment, at, TcpOptions.MSS, 4, mss >>> 8, mss);
            at += 4;
        }
        if (timestamps) {
            if (sackPermitted) {
                put4(segment, at, TcpOptions.SACK_PERMITTED, 2, TcpOptions.TIMESTAMPS, 10);
            } else {
                BigEndian.put32(segment, at, TcpOptions.ALIGNED_TIMESTAMPS);
            }
            BigEndian.put32(segment, at + 4, tsVal);
            BigEndian.put32(segment, at + 8, tsEcr);
            at += TIMESTAMPS_LENGTH;
        }
        return writeAfterTimestamps(segment, at);
    }

    private long writeAfterTimestamps(MemorySegment segment, long start) {
        long at = accEcnCounters >= 0 ? writeAccEcn(segment, start) : start;
        int over = (int) (at - start) & 3;
        if (sackPermitted && !timestamps) {
            at = putPair(segment, at, over, TcpOptions.SACK_PERMITTED, 2);
            over = 0;
        }
        if (windowScale >= 0) {
            if (over == 2) {
                // A pair is not split over the single NOP; it moves behind and waits for another.
                int pair = BigEndian.u16(segment, at - 2);
                put4(segment, at - 2, NOP, TcpOptions.WINDOW_SCALE, 3, windowScale);
                BigEndian.put16(segment, at + 2, pair);
                at += 4;
            } else {
                if (over == 0) {
                    BigEndian.put8(segment, at++, NOP);
                }
                BigEndian.put8(segment, at, TcpOptions.WINDOW_SCALE);
                BigEndian.put8(segment, at + 1, 3);
                BigEndian.put8(segment, at + 2, windowScale);
                at += 3;
                over = 0;
            }
        }
        int blocks = sackBlocks();
        if (blocks > 0) {
            at = putPair(segment, at, over, TcpOptions.SACK, 2 + 8 * blocks);
            for (int i = 0; i < 2 * blocks; i++) {
                BigEndian.put32(segment, at, sackEdges[i]);
                at += 4;
            }
        } else if (over > 0) {
            at = putPair(segment, at, over, NOP, NOP);
        }
        if (cookieLength >= 0) {
            at = writeFastOpen(segment, at);
            at = pad(segment, at, NOP, -cookieOptionLength() & 3);
        }
        return at;
    }

    /**
     * Fills the first half of a word, {@code over} bytes of which are taken, and adds the second.
     */
    private static long putPair(MemorySegment segment, long from, int over, int kind, int value) {
        long at = from;
        for (int i = over; i < 2; i++) {
            BigEndian.put8(segment, at++, NOP);
        }
        BigEndian.put8(segment, at, kind);
        BigEndian.put8(segment, at + 1, value);
        return at + 2;
    }

    private long writeAccEcn(MemorySegment segment, long start) {
        BigEndian.put8(segment, start, accEcnE0First ? TcpOptions.ACCECN_0 : TcpOptions.ACCECN_1);
        BigEndian.put8(segment, start + 1, 2 + 3 * accEcnCounters);
        long at = start + 2;
        for (int i = 0; i < accEcnCounters; i++) {
            int outer = accEcnE0First == (i == 0) ? accEcnE0 : accEcnE1;
            int counter = i == 1 ? accEcnCe : outer;
            BigEndian.put8(segment, at, counter >>> 16);
            BigEndian.put16(segment, at + 1, counter);
            at += 3;
        }
        if (accEcnCounters == 3) {
            BigEndian.put8(segment, at++, NOP);
        }
        return at;
    }

    private long writeFastOpen(MemorySegment segment, long start) {
        long at = start;
        if (cookieExperimental) {
            put4(
                    segment,
                    at,
                    TcpOptions.EXPERIMENTAL,
                    cookieOptionLength(),
                    TcpOptions.FAST_OPEN_MAGIC >>> 8,
                    TcpOptions.FAST_OPEN_MAGIC);
            at += 4;
        } else {
            BigEndian.put8(segment, at, TcpOptions.FAST_OPEN);
            BigEndian.put8(segment, at + 1, cookieOptionLength());
            at += 2;
        }
        for (int i = 0; i < cookieLength; i++) {
            long half = i < 8 ? cookieHi : cookieLo;
            BigEndian.put8(segment, at++, (int) (half >>> (56 - 8 * (i & 7))));
        }
        return at;
    }

    private long writeFreeBsdSyn(MemorySegment segment, long start) {
        long at = start;
        if (mss > 0) {
            put4(segment, at, TcpOptions.MSS, 4, mss >>> 8, mss);
            at += 4;
        }
        if (windowScale >= 0) {
            put4(segment, at, NOP, TcpOptions.WINDOW_SCALE, 3, windowScale);
            at += 4;
        }
        if (sackPermitted) {
            BigEndian.put8(segment, at, TcpOptions.SACK_PERMITTED);
            BigEndian.put8(segment, at + 1, 2);
            at += 2;
        }
        if (timestamps) {
            while ((at - start & 3) != 2) {
                BigEndian.put8(segment, at++, NOP);
            }
            BigEndian.put8(segment, at, TcpOptions.TIMESTAMPS);
            BigEndian.put8(segment, at + 1, 10);
            BigEndian.put32(segment, at + 2, tsVal);
            BigEndian.put32(segment, at + 6, tsEcr);
            at += 10;
        }
        if (cookieLength >= 0) {
            at = writeFastOpen(segment, at);
        }
        return pad(segment, at, TcpOptions.EOL, (int) (start - at) & 3);
    }

    private static long pad(MemorySegment segment, long at, int filler, int count) {
        for (int i = 0; i < count; i++) {
            BigEndian.put8(segment, at + i, filler);
        }
        return at + count;
    }

    private static void put4(MemorySegment segment, long at, int a, int b, int c, int d) {
        BigEndian.put32(segment, at, a << 24 | (b & 0xff) << 16 | (c & 0xff) << 8 | d & 0xff);
    }
}
