package dev.sluice.wire;

import dev.sluice.wire.SegmentNotation.IpInfo;
import dev.sluice.wire.SegmentNotation.Parsed;
import dev.sluice.wire.SegmentNotation.Segment;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads {@link SegmentNotation}. The first error ends the parse; it says what was expected where.
 */
final class SegmentParser {
    /** Indexed by {@link EcnCodepoint}, and {@link SegmentNotation#ECT_ANY}. */
    static final List<String> ECN_NAMES = List.of("noecn", "ect1", "ect0", "ce", "ect01");

    private static final long MAX_32 = 0xffff_ffffL;
    private static final int MAX_HEX_BYTES = 38;

    private final CharSequence text;
    private int at;
    private int errorAt;
    private String error;

    private int flags;
    private int ace = -1;

    SegmentParser(CharSequence text, int from) {
        this.text = text;
        this.at = from;
    }

    Parsed parseAll() {
        Segment segment = segment();
        skipSpace();
        if (error == null && at < text.length()) {
            expected("end of segment");
        }
        return result(segment);
    }

    Parsed parsePrefix() {
        return result(segment());
    }

    private Parsed result(Segment segment) {
        return error == null ? new Parsed(segment, at, null) : new Parsed(null, errorAt, error);
    }

    private Segment segment() {
        skipSpace();
        char direction = 0;
        if (at < text.length() && (text.charAt(at) == '<' || text.charAt(at) == '>')) {
            direction = text.charAt(at++);
        }
        IpInfo ip = ipInfo();
        int sourcePort = -1;
        int destinationPort = -1;
        if (error == null && startsWithPorts()) {
            sourcePort = (int) number(0xffff, "port");
            accept('>');
            destinationPort = (int) number(0xffff, "port");
        }
        flags();
        final long seq = number(MAX_32, "sequence number");
        symbol(':');
        skipSpace();
        int endAt = at;
        final long end = number(MAX_32, "end of sequence");
        symbol('(');
        final int length = (int) number(1 << 30, "payload length");
        symbol(')');
        if (error == null && (seq + length & MAX_32) != end) {
            at = endAt;
            fail("end of sequence is not start plus length, " + (seq + length & MAX_32));
        }
        final long ack = word("ack") ? number(MAX_32, "acknowledgment number") : -1;
        final int window = word("win") ? (int) number(0xffff, "window") : -1;
        final int urgent = word("urg") ? (int) number(0xffff, "urgent pointer") : -1;
        List<SegmentOption> options = new ArrayList<>();
        boolean any = options(options);
        return new Segment(
                direction,
                ip,
                sourcePort,
                destinationPort,
                flags,
                ace,
                seq,
                length,
                ack,
                window,
                urgent,
                options,
                any);
    }

    private IpInfo ipInfo() {
        skipSpace();
        char close;
        if (accept('[')) {
            close = ']';
        } else if (accept('(')) {
            close = ')';
        } else {
            return IpInfo.NONE;
        }
        int ecn = -1;
        int tos = -1;
        int flowLabel = -1;
        int ttl = -1;
        do {
            if (word("tos")) {
                tos = (int) number(0xff, "TOS");
            } else if (word("flowlabel")) {
                flowLabel = (int) number(0xfffff, "flow label");
            } else if (word("ttl")) {
                ttl = (int) number(0xff, "TTL");
            } else {
                int named = -1;
                for (int i = 0; i < ECN_NAMES.size(); i++) {
                    named = named < 0 && word(ECN_NAMES.get(i)) ? i : named;
                }
                if (named < 0) {
                    expected("ect0, ect1, ce, noecn, ect01, tos, flowlabel or ttl");
                }
                ecn = named;
            }
        } while (error == null && accept(','));
        symbol(close);
        return new IpInfo(ecn, tos, flowLabel, ttl);
    }

    private boolean startsWithPorts() {
        skipSpace();
        int i = at;
        while (i < text.length() && isDigit(text.charAt(i))) {
            i++;
        }
        if (i == at) {
            return false;
        }
        while (i < text.length() && Character.isWhitespace(text.charAt(i))) {
            i++;
        }
        return i < text.length() && text.charAt(i) == '>';
    }

    private void flags() {
        skipSpace();
        int from = at;
        if (error == null && accept('-')) {
            return;
        }
        while (error == null && at < text.length()) {
            char c = text.charAt(at);
            int flag = SegmentNotation.flagOf(c);
            boolean isAce = c >= '0' && c <= '7' && ace < 0;
            if (Character.isWhitespace(c)) {
                break;
            }
            if (flag == 0 && !isAce || (flags & flag) != 0) {
                expected("flags out of F S R P . U E W A 0-7, each once, or -");
            } else if (isAce) {
                ace = c - '0';
            }
            flags |= flag;
            at++;
        }
        if (error == null && at == from) {
            expected("flags");
        }
        if (error == null && ace > 0) {
            if ((flags & (TcpHeader.AE | TcpHeader.CWR | TcpHeader.ECE)) != 0) {
                at = from;
                fail("the ACE digit stands in place of E, W and A");
            }
            flags |= ace << 6;
        }
    }

    /** Options, if any; true for {@code <...>}. */
    private boolean options(List<SegmentOption> options) {
        skipSpace();
        int from = at;
        if (error != null || !accept('<')) {
            return false;
        }
        if (at + 3 <= text.length() && text.subSequence(at, at + 3).toString().equals("...")) {
            at += 3;
            symbol('>');
            return true;
        }
        int length = 0;
        if (!accept('>')) {
            do {
                SegmentOption option = option();
                if (option != null) {
                    length += option.length();
                    options.add(option);
                }
            } while (error == null && accept(','));
            symbol('>');
        }
        if (error == null && ((length & 3) != 0 || length > TcpHeader.MAX_OPTIONS)) {
            at = from;
            fail("options take " + length + " bytes: no multiple of 4 up to 40");
        }
        return false;
    }

    private SegmentOption option() {
        if (word("mss")) {
            return new SegmentOption.Mss((int) number(0xffff, "MSS"));
        }
        if (word("nop")) {
            return new SegmentOption.Nop();
        }
        if (word("eol")) {
            return new SegmentOption.Eol();
        }
        if (word("wscale")) {
            return new SegmentOption.WindowScale((int) number(0xff, "shift"));
        }
        if (word("sackOK")) {
            return new SegmentOption.SackPermitted();
        }
        if (word("sack")) {
            return sack();
        }
        if (word("TS")) {
            keyword("val");
            long val = number(MAX_32, "timestamp");
            keyword("ecr");
            return new SegmentOption.Timestamps(val, number(MAX_32, "timestamp echo"));
        }
        if (word("FO")) {
            return new SegmentOption.FastOpen(hex(0, MAX_HEX_BYTES), false);
        }
        if (word("FOEXP")) {
            return new SegmentOption.FastOpen(hex(0, MAX_HEX_BYTES), true);
        }
        if (word("md5")) {
            return new SegmentOption.Md5(hex(16, 16));
        }
        if (word("ECN")) {
            return accEcn();
        }
        if (word("kind")) {
            return new SegmentOption.Raw((int) number(0xff, "option kind"), hex(0, MAX_HEX_BYTES));
        }
        if (word("bad")) {
            return new SegmentOption.Malformed(hex(1, MAX_HEX_BYTES + 2));
        }
        expected("option: mss, wscale, sackOK, sack, TS, nop, eol, FO, FOEXP, md5, ECN or kind");
        return null;
    }

    private SegmentOption sack() {
        List<SegmentOption.Block> blocks = new ArrayList<>();
        skipSpace();
        while (error == null && at < text.length() && isDigit(text.charAt(at))) {
            long left = number(MAX_32, "left edge");
            symbol(':');
            blocks.add(new SegmentOption.Block(left, number(MAX_32, "right edge")));
            skipSpace();
        }
        return new SegmentOption.Sack(blocks);
    }

    private SegmentOption accEcn() {
        boolean e0First = word("e0b");
        if (!e0First) {
            keyword("e1b");
        }
        List<Long> counters = new ArrayList<>();
        counters.add(number(0xffffff, "24-bit counter"));
        if (word("ceb")) {
            counters.add(number(0xffffff, "24-bit counter"));
            if (word(e0First ? "e1b" : "e0b")) {
                counters.add(number(0xffffff, "24-bit counter"));
            }
        }
        return new SegmentOption.AccEcn(e0First, counters);
    }

    /** Hexadecimal digits for {@code min} to {@code max} bytes; empty if there are none. */
    private String hex(int min, int max) {
        skipSpace();
        int from = at;
        while (at < text.length() && IpAddressText.hexDigit(text.charAt(at)) >= 0) {
            at++;
        }
        int digits = at - from;
        if ((digits & 1) != 0 || digits < 2 * min || digits > 2 * max) {
            at = from;
            expected(
                    "hexadecimal digits of "
                            + (min == max ? String.valueOf(min) : min + " to " + max)
                            + " bytes");
            return "";
        }
        StringBuilder out = new StringBuilder(digits);
        for (int i = from; i < at; i++) {
            out.append(Character.forDigit(IpAddressText.hexDigit(text.charAt(i)), 16));
        }
        return out.toString();
    }

    /** A decimal number, or a hexadecimal one after {@code 0x}. */
    private long number(long max, String what) {
        skipSpace();
        int from = at;
        int radix = 10;
        if (at + 1 < text.length() && text.charAt(at) == '0' && text.charAt(at + 1) == 'x') {
            radix = 16;
            at += 2;
        }
        int digits = at;
        long value = 0;
        while (at < text.length() && value <= max) {
            int digit = IpAddressText.hexDigit(text.charAt(at));
            if (digit < 0 || digit >= radix) {
                break;
            }
            value = value * radix + digit;
            at++;
        }
        if (at == digits || value > max) {
            at = from;
            expected(what + " from 0 to " + max);
            return 0;
        }
        return value;
    }

    /** Whether the next word is this one, which is then taken. */
    private boolean word(String wanted) {
        if (error != null) {
            return false;
        }
        skipSpace();
        int end = at + wanted.length();
        if (end > text.length() || !text.subSequence(at, end).toString().equals(wanted)) {
            return false;
        }
        if (end < text.length() && Character.isLetterOrDigit(text.charAt(end))) {
            return false;
        }
        at = end;
        return true;
    }

    private void keyword(String wanted) {
        if (!word(wanted)) {
            expected("'" + wanted + "'");
        }
    }

    private void symbol(char wanted) {
        if (!accept(wanted)) {
            expected("'" + wanted + "'");
        }
    }

    private boolean accept(char wanted) {
        skipSpace();
        if (error == null && at < text.length() && text.charAt(at) == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void skipSpace() {
        while (error == null && at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private void expected(String what) {
        String found = at < text.length() ? "'" + text.charAt(at) + "'" : "end of text";
        fail("expected " + what + ", found " + found);
    }

    private void fail(String message) {
        if (error == null) {
            errorAt = at;
            error = "column " + (at + 1) + ": " + message;
        }
    }
}
