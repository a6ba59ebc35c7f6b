package dev.sluice.lab.packetdrill;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** One TCP option as a script writes it. Numbers are those of the script, before any mapping. */
public sealed interface OptionSpec {
    /** {@code nop}, kind 1. */
    record Nop() implements OptionSpec {
        @Override
        public String toString() {
            return "nop";
        }
    }

    /** {@code eol}, kind 0. */
    record EndOfList() implements OptionSpec {
        @Override
        public String toString() {
            return "eol";
        }
    }

    /** {@code mss N}, kind 2, RFC 9293 section 3.7.1. */
    record MaximumSegmentSize(int bytes) implements OptionSpec {
        @Override
        public String toString() {
            return "mss " + bytes;
        }
    }

    /** {@code wscale N}, kind 3, RFC 7323 section 2. */
    record WindowScale(int shift) implements OptionSpec {
        @Override
        public String toString() {
            return "wscale " + shift;
        }
    }

    /** {@code sackOK}, kind 4, RFC 2018. */
    record SackPermitted() implements OptionSpec {
        @Override
        public String toString() {
            return "sackOK";
        }
    }

    /** {@code sack a:b c:d}, kind 5, RFC 2018. */
    record Sack(List<Block> blocks) implements OptionSpec {
        public Sack {
            blocks = List.copyOf(blocks);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("sack");
            for (Block block : blocks) {
                text.append(' ').append(block.left()).append(':').append(block.right());
            }
            return text.toString();
        }
    }

    /** A range of sequence numbers, unsigned 32 bits each, the right edge not included. */
    record Block(long left, long right) {}

    /** {@code TS val N ecr N}, kind 8, RFC 7323 section 3. Both unsigned 32 bits. */
    record Timestamps(long value, long echoReply) implements OptionSpec {
        @Override
        public String toString() {
            return "TS val " + value + " ecr " + echoReply;
        }
    }

    /**
     * {@code FO hex} (kind 34, RFC 7413) or {@code FOEXP hex} (kind 254 with magic number F989).
     *
     * @param cookie lower-case hexadecimal digits, empty for a cookie request
     */
    record FastOpen(boolean experimental, String cookie) implements OptionSpec {
        @Override
        public String toString() {
            return (experimental ? "FOEXP" : "FO") + (cookie.isEmpty() ? "" : " " + cookie);
        }
    }

    /**
     * {@code md5 hex}, kind 19, RFC 2385.
     *
     * @param digest hexadecimal digits; {@code valid} where the digest is to be computed
     */
    record Md5(String digest) implements OptionSpec {
        @Override
        public String toString() {
            return "md5" + (digest.isEmpty() ? "" : " " + digest);
        }
    }

    /**
     * {@code ECN e0b N ceb N e1b N}, kind 172 or 174, RFC 9768 section 3.2.3. The order of the
     * counters decides the kind.
     *
     * @param firstIsE0 kind 172 ({@code e0b} first) rather than 174 ({@code e1b} first)
     * @param counters one to three byte counters in wire order, 24 bits each
     */
    record AccurateEcn(boolean firstIsE0, List<Integer> counters) implements OptionSpec {
        public AccurateEcn {
            counters = List.copyOf(counters);
        }

        @Override
        public String toString() {
            String[] names =
                    firstIsE0
                            ? new String[] {"e0b", "ceb", "e1b"}
                            : new String[] {"e1b", "ceb", "e0b"};
            StringBuilder text = new StringBuilder("ECN");
            for (int i = 0; i < counters.size(); i++) {
                text.append(' ').append(names[i]).append(' ').append(counters.get(i));
            }
            return text.toString();
        }
    }

    /** An option of another kind, or a malformed one, as bytes. Only seen in live segments. */
    record Unknown(int kind, byte[] body) implements OptionSpec {
        public Unknown {
            body = body.clone();
        }

        @Override
        public byte[] body() {
            return body.clone();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Unknown that
                    && kind == that.kind
                    && Arrays.equals(body, that.body);
        }

        @Override
        public int hashCode() {
            return 31 * kind + Arrays.hashCode(body);
        }

        @Override
        public String toString() {
            return "kind-" + kind + (body.length == 0 ? "" : " " + HexFormat.of().formatHex(body));
        }
    }
}
