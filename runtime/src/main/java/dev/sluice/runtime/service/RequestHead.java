package dev.sluice.runtime.service;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The head of one HTTP/1.1 request (RFC 9112 sections 2 to 6): as much of it as an answer depends
 * on.
 */
final class RequestHead {
    /** What to answer: 200, or the error that ends the connection. */
    int status;

    /** Whether the answer has no body, as that of HEAD. */
    boolean headOnly;

    boolean keepAlive;

    /** Bytes of content that follow the head. */
    long contentLength;

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
        String[] lines =
                new String(bytes, from, end - from - 4, StandardCharsets.ISO_8859_1).split("\r\n");
        String[] request = lines[0].split(" ");
        status = 200;
        contentLength = 0;
        boolean http11 = request.length == 3 && request[2].equals("HTTP/1.1");
        boolean http10 = request.length == 3 && request[2].equals("HTTP/1.0");
        keepAlive = http11;
        headOnly = request[0].equals("HEAD");
        if (!http11 && !http10) {
            status = 400;
            return;
        }
        for (int i = 1; i < lines.length; i++) {
            field(lines[i]);
        }
    }

    private void field(String line) {
        int colon = line.indexOf(':');
        if (colon <= 0) {
            status = 400;
            return;
        }
        String value = line.substring(colon + 1).strip().toLowerCase(Locale.ROOT);
        switch (line.substring(0, colon).toLowerCase(Locale.ROOT)) {
            case "connection" -> {
                if (value.contains("close")) {
                    keepAlive = false;
                } else if (value.contains("keep-alive")) {
                    keepAlive = true;
                }
            }
            case "content-length" -> {
                // A number of 18 digits fits a long; more is nobody's file.
                if (value.matches("[0-9]{1,18}")) {
                    contentLength = Long.parseLong(value);
                } else {
                    status = 400;
                }
            }
            // RFC 9112 section 6.1: a coding that is not known is answered with 501.
            case "transfer-encoding" -> status = 501;
            default -> {}
        }
    }
}
