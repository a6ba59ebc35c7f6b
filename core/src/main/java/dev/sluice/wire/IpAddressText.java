package dev.sluice.wire;

/** The textual forms of IP addresses: RFC 4291 section 2.2 in, RFC 5952 out. */
final class IpAddressText {
    private static final int GROUPS = 8;

    private final CharSequence text;
    private int at;
    private String error;

    private IpAddressText(CharSequence text) {
        this.text = text;
    }

    static IpAddress.Parsed parse(CharSequence text) {
        IpAddressText parser = new IpAddressText(text);
        boolean colon = false;
        for (int i = 0; i < text.length(); i++) {
            colon |= text.charAt(i) == ':';
        }
        IpAddress address = colon ? parser.ipv6() : parser.ipv4Only();
        return parser.error == null
                ? new IpAddress.Parsed(address, null)
                : new IpAddress.Parsed(null, parser.error);
    }

    private IpAddress ipv4Only() {
        int bits = ipv4();
        if (error == null && at < text.length()) {
            fail("end of address expected");
        }
        return IpAddress.ipv4(bits);
    }

    private int ipv4() {
        int bits = 0;
        for (int i = 0; i < 4 && error == null; i++) {
            if (i > 0 && !accept('.')) {
                fail("'.' expected");
                return 0;
            }
            bits = bits << 8 | octet();
        }
        return bits;
    }

    /** Decimal, 0 to 255, without leading zeros: some readers take those for octal. */
    private int octet() {
        int from = at;
        int value = 0;
        while (at < text.length() && at - from < 4 && isDigit(text.charAt(at))) {
            value = value * 10 + text.charAt(at++) - '0';
        }
        if (at == from) {
            fail("number from 0 to 255 expected");
        } else if (value > 255) {
            at = from;
            fail("number above 255");
        } else if (at - from > 1 && text.charAt(from) == '0') {
            at = from;
            fail("number with a leading zero");
        }
        return value;
    }

    private IpAddress ipv6() {
        int[] groups = new int[GROUPS];
        int count = 0;
        int gap = -1;
        if (at + 1 < text.length() && text.charAt(0) == ':' && text.charAt(1) == ':') {
            gap = 0;
            at = 2;
        }
        while (error == null && at < text.length() && count < GROUPS) {
            if (startsIpv4()) {
                if (count > GROUPS - 2) {
                    fail("IPv4 part does not fit");
                    break;
                }
                int bits = ipv4();
                groups[count++] = bits >>> 16;
                groups[count++] = bits & 0xffff;
                break;
            }
            groups[count++] = group();
            if (error != null || at == text.length()) {
                break;
            }
            if (!accept(':')) {
                fail("':' expected");
            } else if (accept(':')) {
                if (gap >= 0) {
                    at -= 2;
                    fail("second '::'");
                }
                gap = count;
            } else if (at == text.length()) {
                fail("group expected");
            }
        }
        return assemble(groups, count, gap);
    }

    private IpAddress assemble(int[] groups, int count, int gap) {
        if (error == null && at < text.length()) {
            fail("end of address expected");
        } else if (error == null && gap < 0 && count < GROUPS) {
            fail("eight groups expected, found " + count);
        } else if (error == null && gap >= 0 && count == GROUPS) {
            fail("'::' beside eight groups");
        }
        long hi = 0;
        long lo = 0;
        int zeros = GROUPS - count;
        for (int i = 0; i < GROUPS; i++) {
            int value = 0;
            if (gap < 0 || i < gap) {
                value = groups[i];
            } else if (i >= gap + zeros) {
                value = groups[i - zeros];
            }
            hi = i < 4 ? hi << 16 | value : hi;
            lo = i < 4 ? lo : lo << 16 | value;
        }
        return new IpAddress(hi, lo);
    }

    private boolean startsIpv4() {
        for (int i = at; i < text.length() && i < at + 4; i++) {
            if (text.charAt(i) == '.') {
                return i > at;
            }
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return false;
    }

    private int group() {
        int from = at;
        int value = 0;
        while (at < text.length() && at - from < 4 && hexDigit(text.charAt(at)) >= 0) {
            value = value << 4 | hexDigit(text.charAt(at++));
        }
        if (at == from) {
            fail("group of one to four hexadecimal digits expected");
        }
        return value;
    }

    private boolean accept(char wanted) {
        if (at < text.length() && text.charAt(at) == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void fail(String message) {
        if (error == null) {
            error = "column " + (at + 1) + ": " + message;
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static int hexDigit(char c) {
        if (isDigit(c)) {
            return c - '0';
        }
        if (c >= 'a' && c <= 'f') {
            return c - 'a' + 10;
        }
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    }

    static void format(StringBuilder out, long hi, long lo) {
        if (IpAddress.isIpv4(hi, lo)) {
            int bits = (int) lo;
            out.append(bits >>> 24).append('.').append(bits >>> 16 & 0xff).append('.');
            out.append(bits >>> 8 & 0xff).append('.').append(bits & 0xff);
            return;
        }
        int gapStart = -1;
        int gapLength = 1; // a single zero group is not shortened (RFC 5952 section 4.2.2)
        for (int i = 0; i < GROUPS; i++) {
            int end = i;
            while (end < GROUPS && groupAt(hi, lo, end) == 0) {
                end++;
            }
            if (end - i > gapLength) {
                gapStart = i;
                gapLength = end - i;
            }
            i = Math.max(i, end);
        }
        for (int i = 0; i < GROUPS; i++) {
            if (i == gapStart) {
                out.append("::");
                i += gapLength - 1;
            } else {
                if (i > 0 && i != gapStart + gapLength) {
                    out.append(':');
                }
                appendHex(out, groupAt(hi, lo, i));
            }
        }
    }

    private static int groupAt(long hi, long lo, int index) {
        long word = index < 4 ? hi : lo;
        return (int) (word >>> (48 - 16 * (index & 3))) & 0xffff;
    }

    private static void appendHex(StringBuilder out, int value) {
        boolean started = false;
        for (int shift = 12; shift >= 0; shift -= 4) {
            int digit = value >>> shift & 0xf;
            started |= digit != 0 || shift == 0;
            if (started) {
                out.append((char) (digit < 10 ? '0' + digit : 'a' + digit - 10));
            }
        }
    }
}
