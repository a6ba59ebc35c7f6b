package dev.sluice.runtime.service;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The head of one HTTP/1.1 request (RFC 9112 sections 2 to 6): as much of it as an answer depends
 * on.
 */
final class RequestHead {
    private static final int MAX_DIGITS = 18;

    private static final byte[] HTTP_1_1 = ascii("HTTP/1.1");
    private static final byte[] HTTP_1_0 = ascii("HTTP/1.0");
    private static final byte[] HEAD = ascii("HEAD");
    private static final byte[] CONNECTION = ascii("connection");
    private static final byte[] CLOSE = ascii("close");
    private static final byte[] KEEP_ALIVE = ascii("keep-alive");
    private static final byte[] CONTENT_LENGTH = ascii("content-length");
    private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding");

    /** What to answer: 200, or the error that ends the connection. */
    int status;

    /** Whether the answer has no body, as that of HEAD. */
    boolean headOnly;

    boolean keepAlive;

    /** Bytes of content that follow the head. */
    long contentLength;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Where the empty line that ends a head ends, or -1 if it is not among these bytes. */
    static int end(byte[] bytes, int from, int to) {
        for (int i = from; i + 3 < to; i++) {
            if (bytes[i] == '\r'
                    && bytes[i + 1] == '\n'
                    && bytes[i + 2] == '\r'
                    && bytes[i + 3] == '\n') {
                return i + 4;
            }
        }
        return -1;
    }

    /** Reads a head that ends as {@link #end} says. */
    void parse(byte[] bytes, int from, int end) {
        status = 200;
        contentLength = 0;
        int line = lineEnd(bytes, from);
        int target = indexOf(bytes, ' ', from, line) + 1;
        int version = indexOf(bytes, ' ', target, line) + 1;
        boolean threeParts = target > 0 && version > 0 && indexOf(bytes, ' ', version, line) < 0;
        boolean http11 = threeParts && is(bytes, version, line, HTTP_1_1);
        boolean http10 = threeParts && is(bytes, version, line, HTTP_1_0);
        keepAlive = http11;
        headOnly = target > 0 && is(bytes, from, target - 1, HEAD);
        if (!http11 && !http10) {
            status = 400;
            return;
        }
        for (int at = line + 2; at < end - 2; at = line + 2) {
            line = lineEnd(bytes, at);
            field(bytes, at, line);
        }
    }

    private void field(byte[] bytes, int from, int end) {
        int colon = indexOf(bytes, ':', from, end);
        if (colon <= from) {
            status = 400;
            return;
        }
        int first = colon + 1;
        int last = end;
        while (first < last && isBlank(bytes[first])) {
            first++;
        }
        while (last > first && isBlank(bytes[last - 1])) {
            last--;
        }
        if (isIgnoringCase(bytes, from, colon, CONNECTION)) {
            if (contains(bytes, first, last, CLOSE)) {
                keepAlive = false;
            } else if (contains(bytes, first, last, KEEP_ALIVE)) {
                keepAlive = true;
            }
        } else if (isIgnoringCase(bytes, from, colon, CONTENT_LENGTH)) {
            contentLength = number(bytes, first, last);
            if (contentLength < 0) {
                contentLength = 0;
                status = 400;
            }
        } else if (isIgnoringCase(bytes, from, colon, TRANSFER_ENCODING)) {
            // RFC 9112 section 6.1: a coding that is not known is answered with 501.
            status = 501;
        }
    }

    /** A number of 18 digits fits a long; more is nobody's file. Otherwise -1. */
    private static long number(byte[] bytes, int from, int end) {
        if (from == end || end - from > MAX_DIGITS) {
            return -1;
        }
        long value = 0;
        for (int i = from; i < end; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return -1;
            }
            value = value * 10 + bytes[i] - '0';
        }
        return value;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    /** Where the line ends; there is an end, since the head has one. */
    private static int lineEnd(byte[] bytes, int from) {
        int i = from;
        while (bytes[i] != '\r' || bytes[i + 1] != '\n') {
            i++;
        }
        return i;
    }

    private static int indexOf(byte[] bytes, char c, int from, int end) {
        for (int i = from; i < end; i++) {
            if (bytes[i] == c) {
                return i;
            }
        }
        return -1;
    }

    private static boolean is(byte[] bytes, int from, int end, byte[] expected) {
        return Arrays.equals(bytes, from, end, expected, 0, expected.length);
    }

    /**
     * @param expected in lower case
     */
    private static boolean isIgnoringCase(byte[] bytes, int from, int end, byte[] expected) {
        return end - from == expected.length && startsIgnoringCase(bytes, from, expected);
    }

    private static boolean contains(byte[] bytes, int from, int end, byte[] expected) {
        for (int i = from; i + expected.length <= end; i++) {
            if (startsIgnoringCase(bytes, i, expected)) {
                return true;
            }
        }
        return false;
    }

    private static boolean startsIgnoringCase(byte[] bytes, int from, byte[] expected) {
        for (int i = 0; i < expected.length; i++) {
            int c = bytes[from + i];
            if ((c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c) != expected[i]) {
                return false;
            }
        }
        return true;
    }
}
