package dev.sluice.wire;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A TCP option as {@link SegmentNotation} writes it. Numbers are unsigned and, but for SACK edges,
 * those of the wire; byte strings are lower-case hexadecimal.
 */
public sealed interface SegmentOption {
    /** Maximum segment size. */
    record Mss(int bytes) implements SegmentOption {}

    /** Window scale, as it is on the wire. */
    record WindowScale(int shift) implements SegmentOption {}

    /** SACK permitted. */
    record SackPermitted() implements SegmentOption {}

    /** SACK blocks, 0 to 4 of them. */
    record Sack(List<Block> blocks) implements SegmentOption {
        public Sack {
            blocks = List.copyOf(blocks);
        }
    }

    /**
     * One SACK block.
     *
     * @param left first relative sequence number
     * @param right relative sequence number after the block
     */
    record Block(long left, long right) {}

    /** Timestamps. */
    record Timestamps(long val, long ecr) implements SegmentOption {}

    /** No operation: padding. */
    record Nop() implements SegmentOption {}

    /** End of the option list, or a zero byte behind it. */
    record Eol() implements SegmentOption {}

    /**
     * Fast Open.
     *
     * @param cookie the cookie, empty for a request
     * @param experimental kind 254 instead of 34
     */
    record FastOpen(String cookie, boolean experimental) implements SegmentOption {}

    /** MD5 signature, 16 bytes. */
    record Md5(String digest) implements SegmentOption {}

    /**
     * AccECN byte counters of 24 bits.
     *
     * @param e0First order ECT(0), CE, ECT(1), kind 172; else ECT(1), CE, ECT(0), kind 174
     * @param counters one to three, in the order they stand in
     */
    record AccEcn(boolean e0First, List<Long> counters) implements SegmentOption {
        public AccEcn {
            counters = List.copyOf(counters);
        }
    }

    /** Any other option, or one of the above with a length it should not have. */
    record Raw(int kind, String value) implements SegmentOption {}

    /** The rest of the option bytes, from a length that makes no sense on. */
    record Malformed(String bytes) implements SegmentOption {}

    /** Bytes of the option on the wire. */
    default int length() {
        return switch (this) {
            case Mss mss -> 4;
            case WindowScale scale -> 3;
            case SackPermitted permitted -> 2;
            case Sack(List<Block> blocks) -> 2 + 8 * blocks.size();
            case Timestamps timestamps -> 10;
            case Nop nop -> 1;
            case Eol eol -> 1;
            case FastOpen(String cookie, boolean exp) -> (exp ? 4 : 2) + cookie.length() / 2;
            case Md5(String digest) -> 2 + digest.length() / 2;
            case AccEcn(boolean e0First, List<Long> counters) -> 2 + 3 * counters.size();
            case Raw(int kind, String value) -> 2 + value.length() / 2;
            case Malformed(String bytes) -> bytes.length() / 2;
        };
    }

    /** Appends the option in segment notation. */
    default void print(StringBuilder out) {
        switch (this) {
            case Mss(int bytes) -> out.append("mss ").append(bytes);
            case WindowScale(int shift) -> out.append("wscale ").append(shift);
            case SackPermitted permitted -> out.append("sackOK");
            case Sack(List<Block> blocks) -> {
                out.append("sack");
                for (Block block : blocks) {
                    out.append(' ').append(block.left()).append(':').append(block.right());
                }
            }
            case Timestamps(long val, long ecr) ->
                    out.append("TS val ").append(val).append(" ecr ").append(ecr);
            case Nop nop -> out.append("nop");
            case Eol eol -> out.append("eol");
            case FastOpen(String cookie, boolean experimental) -> {
                out.append(experimental ? "FOEXP" : "FO");
                printHex(out, cookie);
            }
            case Md5(String digest) -> {
                out.append("md5");
                printHex(out, digest);
            }
            case AccEcn(boolean e0First, List<Long> counters) -> {
                out.append("ECN");
                for (int i = 0; i < counters.size(); i++) {
                    out.append(i == 1 ? " ceb " : e0First == (i == 0) ? " e0b " : " e1b ");
                    out.append(counters.get(i).longValue());
                }
            }
            case Raw(int kind, String value) -> {
                out.append("kind ").append(kind);
                printHex(out, value);
            }
            case Malformed(String bytes) -> {
                out.append("bad");
                printHex(out, bytes);
            }
        }
    }

    private static void printHex(StringBuilder out, String hex) {
        if (!hex.isEmpty()) {
            out.append(' ').append(hex);
        }
    }

    /**
     * Writes the option.
     *
     * @param sackBase what relative number 0 of SACK edges is on the wire
     * @return the address behind it
     */
    default long write(MemorySegment segment, long at, int sackBase) {
        switch (this) {
            case Mss(int bytes) -> {
                head(segment, at, TcpOptions.MSS);
                BigEndian.put16(segment, at + 2, bytes);
            }
            case WindowScale(int shift) -> {
                head(segment, at, TcpOptions.WINDOW_SCALE);
                BigEndian.put8(segment, at + 2, shift);
            }
            case SackPermitted permitted -> head(segment, at, TcpOptions.SACK_PERMITTED);
            case Sack(List<Block> blocks) -> {
                head(segment, at, TcpOptions.SACK);
                for (int i = 0; i < blocks.size(); i++) {
                    Block block = blocks.get(i);
                    BigEndian.put32(segment, at + 2 + 8 * i, (int) block.left() + sackBase);
                    BigEndian.put32(segment, at + 6 + 8 * i, (int) block.right() + sackBase);
                }
            }
            case Timestamps(long val, long ecr) -> {
                head(segment, at, TcpOptions.TIMESTAMPS);
                BigEndian.put32(segment, at + 2, (int) val);
                BigEndian.put32(segment, at + 6, (int) ecr);
            }
            case Nop nop -> BigEndian.put8(segment, at, TcpOptions.NOP);
            case Eol eol -> BigEndian.put8(segment, at, TcpOptions.EOL);
            case FastOpen(String cookie, boolean experimental) -> {
                head(segment, at, experimental ? TcpOptions.EXPERIMENTAL : TcpOptions.FAST_OPEN);
                if (experimental) {
                    BigEndian.put16(segment, at + 2, TcpOptions.FAST_OPEN_MAGIC);
                }
                writeHex(segment, at + (experimental ? 4 : 2), cookie);
            }
            case Md5(String digest) -> {
                head(segment, at, TcpOptions.MD5);
                writeHex(segment, at + 2, digest);
            }
            case AccEcn(boolean e0First, List<Long> counters) -> {
                head(segment, at, e0First ? TcpOptions.ACCECN_0 : TcpOptions.ACCECN_1);
                for (int i = 0; i < counters.size(); i++) {
                    int counter = counters.get(i).intValue();
                    BigEndian.put8(segment, at + 2 + 3 * i, counter >>> 16);
                    BigEndian.put16(segment, at + 3 + 3 * i, counter);
                }
            }
            case Raw(int kind, String value) -> {
                head(segment, at, kind);
                writeHex(segment, at + 2, value);
            }
            case Malformed(String bytes) -> writeHex(segment, at, bytes);
        }
        return at + length();
    }

    private void head(MemorySegment segment, long at, int kind) {
        BigEndian.put8(segment, at, kind);
        BigEndian.put8(segment, at + 1, length());
    }

    private static void writeHex(MemorySegment segment, long at, String hex) {
        for (int i = 0; i < hex.length() / 2; i++) {
            int high = IpAddressText.hexDigit(hex.charAt(2 * i));
            int low = IpAddressText.hexDigit(hex.charAt(2 * i + 1));
            BigEndian.put8(segment, at + i, high << 4 | low);
        }
    }
}
