package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * TCP options to and from bytes.
 *
 * <p>Written apart from the codec of the stack under test, so that a mistake there is seen here and
 * not mirrored. Unlike a stack it keeps order and padding.
 */
final class OptionCodec {
    private static final int KIND_EOL = 0;
    private static final int KIND_NOP = 1;
    private static final int KIND_MSS = 2;
    private static final int KIND_WINDOW_SCALE = 3;
    private static final int KIND_SACK_PERMITTED = 4;
    private static final int KIND_SACK = 5;
    private static final int KIND_TIMESTAMPS = 8;
    private static final int KIND_MD5 = 19;
    private static final int KIND_FAST_OPEN = 34;
    private static final int KIND_ACCURATE_ECN_0 = 172;
    private static final int KIND_ACCURATE_ECN_1 = 174;
    private static final int KIND_EXPERIMENTAL = 254;
    private static final int FAST_OPEN_MAGIC = 0xf989;
    private static final int MAX_BYTES = 40;

    private OptionCodec() {}

    /** Bytes these options take, without padding. */
    static int length(List<OptionSpec> options) {
        return encodeUnpadded(options).length;
    }

    /**
     * The bytes of the options, filled with zeros to a multiple of four.
     *
     * @throws IllegalArgumentException if they do not fit a header
     */
    static byte[] encode(List<OptionSpec> options) {
        byte[] bytes = encodeUnpadded(options);
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("options of " + bytes.length + " bytes, at most 40");
        }
        return Arrays.copyOf(bytes, (bytes.length + 3) & ~3);
    }

    private static byte[] encodeUnpadded(List<OptionSpec> options) {
        Writer writer = new Writer();
        for (OptionSpec option : options) {
            encode(option, writer);
        }
        return writer.bytes();
    }

    private static void encode(OptionSpec option, Writer to) {
        switch (option) {
            case OptionSpec.EndOfList eol -> to.put(KIND_EOL, 1);
            case OptionSpec.Nop nop -> to.put(KIND_NOP, 1);
            case OptionSpec.MaximumSegmentSize mss -> {
                to.header(KIND_MSS, 2);
                to.put(mss.bytes(), 2);
            }
            case OptionSpec.WindowScale scale -> {
                to.header(KIND_WINDOW_SCALE, 1);
                to.put(scale.shift(), 1);
            }
            case OptionSpec.SackPermitted permitted -> to.header(KIND_SACK_PERMITTED, 0);
            case OptionSpec.Sack sack -> {
                to.header(KIND_SACK, 8 * sack.blocks().size());
                for (OptionSpec.Block block : sack.blocks()) {
                    to.put(block.left(), 4);
                    to.put(block.right(), 4);
                }
            }
            case OptionSpec.Timestamps timestamps -> {
                to.header(KIND_TIMESTAMPS, 8);
                to.put(timestamps.value(), 4);
                to.put(timestamps.echoReply(), 4);
            }
            case OptionSpec.FastOpen fastOpen -> {
                byte[] cookie = HexFormat.of().parseHex(fastOpen.cookie());
                if (fastOpen.experimental()) {
                    to.header(KIND_EXPERIMENTAL, 2 + cookie.length);
                    to.put(FAST_OPEN_MAGIC, 2);
                } else {
                    to.header(KIND_FAST_OPEN, cookie.length);
                }
                to.put(cookie);
            }
            case OptionSpec.Md5 md5 -> {
                byte[] digest = HexFormat.of().parseHex(md5.digest());
                to.header(KIND_MD5, digest.length);
                to.put(digest);
            }
            case OptionSpec.AccurateEcn ecn -> {
                to.header(
                        ecn.firstIsE0() ? KIND_ACCURATE_ECN_0 : KIND_ACCURATE_ECN_1,
                        3 * ecn.counters().size());
                ecn.counters().forEach(counter -> to.put(counter, 3));
            }
            case OptionSpec.Unknown unknown -> {
                to.header(unknown.kind(), unknown.body().length);
                to.put(unknown.body());
            }
        }
    }

    /** The options in the bytes, in order; a malformed one ends the list as {@code Unknown}. */
    static List<OptionSpec> decode(byte[] bytes) {
        List<OptionSpec> options = new ArrayList<>();
        int at = 0;
        while (at < bytes.length) {
            int kind = bytes[at] & 0xff;
            if (kind == KIND_EOL || kind == KIND_NOP) {
                options.add(kind == KIND_NOP ? new OptionSpec.Nop() : new OptionSpec.EndOfList());
                at++;
                continue;
            }
            int size = at + 1 < bytes.length ? bytes[at + 1] & 0xff : 0;
            if (size < 2 || at + size > bytes.length) {
                options.add(
                        new OptionSpec.Unknown(
                                kind, Arrays.copyOfRange(bytes, at + 1, bytes.length)));
                return options;
            }
            options.add(decode(kind, Arrays.copyOfRange(bytes, at + 2, at + size)));
            at += size;
        }
        return options;
    }

    private static OptionSpec decode(int kind, byte[] body) {
        if (!isWellFormed(kind, body)) {
            return new OptionSpec.Unknown(kind, body);
        }
        return switch (kind) {
            case KIND_MSS -> new OptionSpec.MaximumSegmentSize((int) number(body, 0, 2));
            case KIND_WINDOW_SCALE -> new OptionSpec.WindowScale(body[0] & 0xff);
            case KIND_SACK_PERMITTED -> new OptionSpec.SackPermitted();
            case KIND_SACK -> sack(body);
            case KIND_TIMESTAMPS ->
                    new OptionSpec.Timestamps(number(body, 0, 4), number(body, 4, 4));
            case KIND_FAST_OPEN -> new OptionSpec.FastOpen(false, HexFormat.of().formatHex(body));
            case KIND_EXPERIMENTAL ->
                    new OptionSpec.FastOpen(true, HexFormat.of().formatHex(body, 2, body.length));
            case KIND_MD5 -> new OptionSpec.Md5(HexFormat.of().formatHex(body));
            default -> accurateEcn(kind == KIND_ACCURATE_ECN_0, body);
        };
    }

    private static boolean isWellFormed(int kind, byte[] body) {
        return switch (kind) {
            case KIND_MSS -> body.length == 2;
            case KIND_WINDOW_SCALE -> body.length == 1;
            case KIND_SACK_PERMITTED -> body.length == 0;
            case KIND_SACK -> body.length % 8 == 0;
            case KIND_TIMESTAMPS -> body.length == 8;
            case KIND_FAST_OPEN, KIND_MD5 -> true;
            case KIND_EXPERIMENTAL -> body.length >= 2 && number(body, 0, 2) == FAST_OPEN_MAGIC;
            case KIND_ACCURATE_ECN_0, KIND_ACCURATE_ECN_1 ->
                    body.length % 3 == 0 && body.length <= 9;
            default -> false;
        };
    }

    private static OptionSpec sack(byte[] body) {
        List<OptionSpec.Block> blocks = new ArrayList<>();
        for (int i = 0; i < body.length; i += 8) {
            blocks.add(new OptionSpec.Block(number(body, i, 4), number(body, i + 4, 4)));
        }
        return new OptionSpec.Sack(blocks);
    }

    private static OptionSpec accurateEcn(boolean firstIsE0, byte[] body) {
        List<Integer> counters = new ArrayList<>();
        for (int i = 0; i < body.length; i += 3) {
            counters.add((int) number(body, i, 3));
        }
        return new OptionSpec.AccurateEcn(firstIsE0, counters);
    }

    private static long number(byte[] bytes, int offset, int size) {
        long value = 0;
        for (int i = 0; i < size; i++) {
            value = value << 8 | bytes[offset + i] & 0xff;
        }
        return value;
    }

    /** Bytes in network order. */
    private static final class Writer {
        private byte[] buffer = new byte[64];
        private int count;

        void header(int kind, int bodyLength) {
            put(kind, 1);
            put(bodyLength + 2, 1);
        }

        void put(long value, int size) {
            reserve(size);
            for (int i = size - 1; i >= 0; i--) {
                buffer[count++] = (byte) (value >>> 8 * i);
            }
        }

        void put(byte[] bytes) {
            reserve(bytes.length);
            System.arraycopy(bytes, 0, buffer, count, bytes.length);
            count += bytes.length;
        }

        private void reserve(int more) {
            if (count + more > buffer.length) {
                buffer = Arrays.copyOf(buffer, (count + more) * 2);
            }
        }

        byte[] bytes() {
            return Arrays.copyOf(buffer, count);
        }
    }
}
