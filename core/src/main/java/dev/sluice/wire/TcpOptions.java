package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/**
 * The options of one TCP header, parsed into fields and refilled for every segment (RFC 9293
 * section 3.2, RFC 7323, RFC 2018, RFC 7413, RFC 2385, RFC 5925, RFC 9768). See {@link TcpHeader}
 * for how doubtful options are read.
 */
public final class TcpOptions {
    static final int EOL = 0;
    static final int NOP = 1;
    static final int MSS = 2;
    static final int WINDOW_SCALE = 3;
    static final int SACK_PERMITTED = 4;
    static final int SACK = 5;
    static final int TIMESTAMPS = 8;
    static final int MD5 = 19;
    static final int AUTHENTICATION = 29;
    static final int FAST_OPEN = 34;

    /** AccECN with the counters in the order ECT(0), CE, ECT(1). */
    static final int ACCECN_0 = 172;

    /** AccECN with the counters in the order ECT(1), CE, ECT(0). */
    static final int ACCECN_1 = 174;

    static final int EXPERIMENTAL = 254;

    /**
     * Experiment identifier of Fast Open before it had a kind (RFC 7413 appendix A of the drafts).
     */
    static final int FAST_OPEN_MAGIC = 0xf989;

    /** NOP, NOP, timestamps, length 10: how nearly every established segment begins its options. */
    static final int ALIGNED_TIMESTAMPS = NOP << 24 | NOP << 16 | TIMESTAMPS << 8 | 10;

    static final int MAX_SACK_BLOCKS = 4;
    static final int MIN_COOKIE = 4;
    static final int MAX_COOKIE = 16;

    private int mss;
    private int windowScale;
    private boolean windowScaleClamped;
    private boolean sackPermitted;
    private boolean timestamps;
    private int tsVal;
    private int tsEcr;
    private int sackCount;
    private final int[] sackEdges = new int[2 * MAX_SACK_BLOCKS];
    private long fastOpenOffset;
    private int fastOpenLength;
    private boolean fastOpenExperimental;
    private long cookieHi;
    private long cookieLo;
    private long md5Offset;
    private long authenticationOffset;
    private int authenticationLength;
    private int accEcnCounters;
    private int accEcnE0;
    private int accEcnCe;
    private int accEcnE1;
    private boolean malformed;

    TcpOptions() {
        clear();
    }

    /** Parses {@code length} option bytes, at most 40. */
    void parse(MemorySegment segment, long at, int length, boolean syn) {
        clear();
        if (length == 0) {
            return;
        }
        if (length == 12 && BigEndian.i32(segment, at) == ALIGNED_TIMESTAMPS) {
            readTimestamps(segment, at + 4);
            return;
        }
        int i = 0;
        while (i < length) {
            int kind = BigEndian.u8(segment, at + i);
            if (kind == EOL) {
                return;
            }
            if (kind == NOP) {
                i++;
                continue;
            }
            int size = i + 1 < length ? BigEndian.u8(segment, at + i + 1) : 0;
            if (size < 2 || size > length - i) {
                malformed = true;
                return;
            }
            if (syn) {
                parseSynOption(segment, kind, at + i + 2, size);
            }
            parseOption(segment, kind, at + i + 2, size);
            i += size;
        }
    }

    private void clear() {
        mss = 0;
        windowScale = -1;
        windowScaleClamped = false;
        sackPermitted = false;
        timestamps = false;
        sackCount = 0;
        fastOpenLength = -1;
        md5Offset = -1;
        authenticationLength = 0;
        accEcnCounters = -1;
        malformed = false;
    }

    /**
     * @param at address of the option's value, which is {@code size - 2} bytes long
     */
    private void parseSynOption(MemorySegment segment, int kind, long at, int size) {
        switch (kind) {
            case MSS -> {
                if (size == 4) {
                    mss = BigEndian.u16(segment, at);
                }
            }
            case WINDOW_SCALE -> {
                if (size == 3) {
                    int shift = BigEndian.u8(segment, at);
                    windowScaleClamped = shift > TcpHeader.MAX_WINDOW_SCALE;
                    windowScale = Math.min(shift, TcpHeader.MAX_WINDOW_SCALE);
                }
            }
            case SACK_PERMITTED -> sackPermitted |= size == 2;
            case FAST_OPEN -> fastOpen(segment, at, size - 2, false);
            case EXPERIMENTAL -> {
                if (size >= 4 && BigEndian.u16(segment, at) == FAST_OPEN_MAGIC) {
                    fastOpen(segment, at + 2, size - 4, true);
                }
            }
            default -> {} // not an option of SYN segments alone
        }
    }

    private void parseOption(MemorySegment segment, int kind, long at, int size) {
        switch (kind) {
            case TIMESTAMPS -> {
                if (size == 10) {
                    readTimestamps(segment, at);
                }
            }
            case SACK -> {
                if (size >= 10 && (size - 2) % 8 == 0) {
                    readSack(segment, at, (size - 2) / 8);
                }
            }
            case MD5 -> {
                if (size == 18) {
                    md5Offset = at;
                }
            }
            case AUTHENTICATION -> {
                if (size >= 4) {
                    authenticationOffset = at;
                    authenticationLength = size - 2;
                }
            }
            case ACCECN_0, ACCECN_1 -> readAccEcn(segment, at, size, kind == ACCECN_0);
            default -> {} // unknown, or already seen to
        }
    }

    private void readTimestamps(MemorySegment segment, long at) {
        timestamps = true;
        tsVal = BigEndian.i32(segment, at);
        tsEcr = BigEndian.i32(segment, at + 4);
    }

    private void readSack(MemorySegment segment, long at, int blocks) {
        sackCount = blocks; // 40 bytes of options hold no more than four
        for (int i = 0; i < 2 * blocks; i++) {
            sackEdges[i] = BigEndian.i32(segment, at + 4L * i);
        }
    }

    /** A cookie request is empty; any other cookie has 4 to 16 bytes, an even number of them. */
    private void fastOpen(MemorySegment segment, long at, int length, boolean experimental) {
        if (length == 0 || length >= MIN_COOKIE && length <= MAX_COOKIE && (length & 1) == 0) {
            fastOpenOffset = at;
            fastOpenLength = length;
            fastOpenExperimental = experimental;
            cookieHi = 0;
            cookieLo = 0;
            for (int i = 0; i < length; i++) {
                long b = BigEndian.u8(segment, at + i) & 0xffL;
                if (i < 8) {
                    cookieHi |= b << 56 - 8 * i;
                } else {
                    cookieLo |= b << 120 - 8 * i;
                }
            }
        }
    }

    private void readAccEcn(MemorySegment segment, long at, int size, boolean e0First) {
        int counters = (size - 2) / 3;
        if (size - 2 != 3 * counters || counters > 3) {
            return;
        }
        accEcnCounters = counters;
        int first = counters > 0 ? u24(segment, at) : -1;
        int third = counters > 2 ? u24(segment, at + 6) : -1;
        accEcnCe = counters > 1 ? u24(segment, at + 3) : -1;
        accEcnE0 = e0First ? first : third;
        accEcnE1 = e0First ? third : first;
    }

    private static int u24(MemorySegment segment, long at) {
        return BigEndian.u16(segment, at) << 8 | BigEndian.u8(segment, at + 2);
    }

    /** The MSS the peer of a SYN accepts, in bytes; 0 if it did not say (or said 0). */
    public int mss() {
        return mss;
    }

    /** Whether the SYN offers window scaling, with whatever shift. */
    public boolean hasWindowScale() {
        return windowScale >= 0;
    }

    /** The shift offered, at most {@link TcpHeader#MAX_WINDOW_SCALE}; -1 without the option. */
    public int windowScale() {
        return windowScale;
    }

    /** Whether the shift on the wire was larger than allowed and had to be clamped. */
    public boolean windowScaleClamped() {
        return windowScaleClamped;
    }

    public boolean sackPermitted() {
        return sackPermitted;
    }

    public boolean hasTimestamps() {
        return timestamps;
    }

    /** TSval, in the sender's ticks; meaningful only with {@link #hasTimestamps}. */
    public int tsVal() {
        return tsVal;
    }

    /** TSecr; meaningful only with {@link #hasTimestamps} and the ACK flag. */
    public int tsEcr() {
        return tsEcr;
    }

    /** SACK blocks, 0 to 4; they may say anything and must be checked by the scoreboard. */
    public int sackCount() {
        return sackCount;
    }

    /** First sequence number of a block, 32 bits. */
    public int sackLeft(int block) {
        return sackEdges[2 * block];
    }

    /** Sequence number after a block, 32 bits. */
    public int sackRight(int block) {
        return sackEdges[2 * block + 1];
    }

    /** Whether the SYN carries a well-formed Fast Open option, be it an empty cookie request. */
    public boolean hasFastOpen() {
        return fastOpenLength >= 0;
    }

    /** Cookie bytes: 0 for a request, else 4 to 16; -1 without the option. */
    public int fastOpenLength() {
        return fastOpenLength;
    }

    /** The first eight bytes of the cookie, first byte most significant, zeros behind its end. */
    public long fastOpenCookieHi() {
        return cookieHi;
    }

    /** The next eight. */
    public long fastOpenCookieLo() {
        return cookieLo;
    }

    /** Address of the cookie. */
    public long fastOpenOffset() {
        return fastOpenOffset;
    }

    /** Whether Fast Open came as the experimental option 254, which the answer has to use too. */
    public boolean fastOpenExperimental() {
        return fastOpenExperimental;
    }

    public boolean hasMd5() {
        return md5Offset >= 0;
    }

    /** Address of the 16-byte MD5 digest (RFC 2385). */
    public long md5Offset() {
        return md5Offset;
    }

    public boolean hasAuthentication() {
        return authenticationLength > 0;
    }

    /** Address of KeyID, RNextKeyID and MAC of TCP-AO (RFC 5925). */
    public long authenticationOffset() {
        return authenticationOffset;
    }

    /** Bytes of KeyID, RNextKeyID and MAC together. */
    public int authenticationLength() {
        return authenticationLength;
    }

    /** AccECN byte counters present, 0 to 3; -1 without the option (RFC 9768 section 3.2.3). */
    public int accEcnCounters() {
        return accEcnCounters;
    }

    /**
     * The 24-bit ECT(0) counter, -1 if absent; meaningful only with {@link #accEcnCounters} &ge; 0.
     */
    public int accEcnE0() {
        return accEcnE0;
    }

    /** The 24-bit CE counter, -1 if absent. */
    public int accEcnCe() {
        return accEcnCe;
    }

    /** The 24-bit ECT(1) counter, -1 if absent. */
    public int accEcnE1() {
        return accEcnE1;
    }

    /** Whether the parse ended at an option length that made no sense. */
    public boolean malformed() {
        return malformed;
    }
}
