package dev.sluice.runtime.service;

import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.SocketSignals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Answers every request on a connection, pipelined ones in turn, with the same page of 3,096 bytes,
 * and keeps the connection open if the client does (RFC 9112 section 9).
 */
final class HttpSession implements SocketSignals {
    private static final int BODY_BYTES = 3096;
    private static final int MAX_HEAD = 8192;
    private static final int FIRST_BUFFER = 512;

    private static final String FIELDS =
            "Server: sluice\r\nContent-Type: text/plain\r\nContent-Length: ";
    private static final byte[] HEAD = answerHead("200 OK", BODY_BYTES, "");
    private static final byte[] PAGE = page(HEAD);

    /** Length of the usual answer. */
    static final int ANSWER_BYTES = PAGE.length;

    private static final byte[] LAST_HEAD =
            answerHead("200 OK", BODY_BYTES, "Connection: close\r\n");
    private static final byte[] LAST_PAGE = page(LAST_HEAD);
    private static final byte[] BAD_REQUEST = error("400 Bad Request");
    private static final byte[] HEAD_TOO_LARGE = error("431 Request Header Fields Too Large");
    private static final byte[] NOT_IMPLEMENTED = error("501 Not Implemented");

    private final StreamSocket socket;
    private final RequestHead request = new RequestHead();

    private byte[] input = new byte[FIRST_BUFFER];
    private int from;
    private int to;

    /** Content of the last request that is still to come. */
    private long toSkip;

    private byte[] answer;
    private int answered;
    private boolean last;
    private boolean closed;

    HttpSession(StreamSocket socket) {
        this.socket = socket;
    }

    private static byte[] answerHead(String status, int length, String more) {
        return ("HTTP/1.1 " + status + "\r\n" + FIELDS + length + "\r\n" + more + "\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] page(byte[] head) {
        byte[] page = Arrays.copyOf(head, head.length + BODY_BYTES);
        Arrays.fill(page, head.length, page.length, (byte) 'a');
        return page;
    }

    private static byte[] error(String status) {
        return answerHead(status, 0, "Connection: close\r\n");
    }

    @Override
    public void ready(long now, int events) {
        while (!closed) {
            int result;
            if (answer != null) {
                result = write(now);
            } else if (last) {
                close(now);
                return;
            } else if (toSkip > 0 || !takeRequest()) {
                result = read(now);
            } else {
                continue;
            }
            if (result == 0 || Results.isFailure(result)) {
                close(now);
            } else if (result < 0) {
                return;
            }
        }
    }

    private int write(long now) {
        int written = socket.write(now, answer, answered, answer.length - answered, 0);
        if (written > 0) {
            answered += written;
            if (answered == answer.length) {
                answer = null;
            }
        }
        return written;
    }

    /** Bytes read, 0 at the end of the stream, or a negative result. */
    private int read(long now) {
        if (toSkip > 0) {
            int skipped = socket.skip(now, (int) Math.min(toSkip, 1 << 24));
            toSkip -= Math.max(0, skipped);
            return skipped;
        }
        if (from == to) {
            from = 0;
            to = 0;
        } else if (to == input.length) {
            makeRoom();
        }
        int count = socket.read(now, input, to, input.length - to, 0);
        to += Math.max(0, count);
        return count;
    }

    private void makeRoom() {
        byte[] target = from > 0 ? input : new byte[Math.min(2 * input.length, MAX_HEAD)];
        System.arraycopy(input, from, target, 0, to - from);
        input = target;
        to -= from;
        from = 0;
    }

    /** Takes the next complete request and prepares its answer; false if there is none. */
    private boolean takeRequest() {
        int end = RequestHead.end(input, from, to);
        if (end < 0) {
            if (to - from == MAX_HEAD) {
                respond(HEAD_TOO_LARGE, true);
                return true;
            }
            return false;
        }
        request.parse(input, from, end);
        from = end;
        switch (request.status) {
            case 400 -> respond(BAD_REQUEST, true);
            case 501 -> respond(NOT_IMPLEMENTED, true);
            default -> {
                skipContent();
                if (request.keepAlive) {
                    respond(request.headOnly ? HEAD : PAGE, false);
                } else {
                    respond(request.headOnly ? LAST_HEAD : LAST_PAGE, true);
                }
            }
        }
        return true;
    }

    private void skipContent() {
        int here = (int) Math.min(request.contentLength, to - from);
        from += here;
        toSkip = request.contentLength - here;
    }

    private void respond(byte[] bytes, boolean andClose) {
        answer = bytes;
        answered = 0;
        last = andClose;
    }

    private void close(long now) {
        closed = true;
        socket.close(now);
    }
}
