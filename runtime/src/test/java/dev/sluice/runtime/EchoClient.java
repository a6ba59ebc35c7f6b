package dev.sluice.runtime;

import dev.sluice.seed.Rng;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.Readiness;
import dev.sluice.tcp.SocketSignals;
import dev.sluice.wire.IpAddress;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;

/**
 * Sends so many random bytes to an echo service while it reads what comes back, then closes. Its
 * result is whether both had the same digest, or the error that ended the connection.
 */
final class EchoClient implements SocketSignals {
    private static final int EAGAIN = SocketError.EAGAIN.result();

    private final CompletableFuture<String> result = new CompletableFuture<>();
    private final MessageDigest sent = sha256();
    private final MessageDigest received = sha256();
    private final Rng rng = new Rng(7);
    private final byte[] out = new byte[65_536];
    private final byte[] in = new byte[65_536];
    private final long total;
    private StreamSocket socket;
    private long written;
    private long read;
    private int from = out.length;

    private EchoClient(long total) {
        this.total = total;
    }

    /** Connects to port 7 of that address. */
    static EchoClient start(LiveStack stack, IpAddress server, long bytes) {
        EchoClient client = new EchoClient(bytes);
        stack.loop().call(now -> client.connect(now, stack, server));
        return client;
    }

    private long connect(long now, LiveStack stack, IpAddress server) {
        socket = new StreamSocket(stack.stack());
        socket.signals(this);
        return socket.connect(now, server, 7);
    }

    /** The digest of what was sent if the same came back, otherwise what went wrong. */
    String outcome() {
        return result.join();
    }

    /** Whether it has neither succeeded nor failed yet. */
    boolean isRunning() {
        return !result.isDone();
    }

    @Override
    public void ready(long now, int events) {
        if (result.isDone()) {
            return;
        }
        int error = socket.takeError();
        if (error != 0) {
            fail(now, "error " + error);
            return;
        }
        if ((events & Readiness.OUT) != 0 || written > 0) {
            write(now);
        }
        read(now);
    }

    private void write(long now) {
        while (written < total) {
            if (from == out.length) {
                for (int i = 0; i < out.length; i += 4) {
                    int word = rng.nextInt();
                    for (int j = 0; j < 4; j++) {
                        out[i + j] = (byte) (word >>> 8 * j);
                    }
                }
                from = 0;
            }
            int count = (int) Math.min(out.length - from, total - written);
            int taken = socket.write(now, out, from, count, 0);
            if (taken < 0) {
                if (taken != EAGAIN) {
                    fail(now, "write: " + taken);
                }
                return;
            }
            sent.update(out, from, taken);
            from += taken;
            written += taken;
            if (written == total) {
                socket.shutdown(now, 1);
            }
        }
    }

    private void read(long now) {
        while (true) {
            int count = socket.read(now, in, 0, in.length, 0);
            if (count > 0) {
                received.update(in, 0, count);
                read += count;
                continue;
            }
            if (count == 0) {
                end(now);
            } else if (count != EAGAIN) {
                fail(now, "read: " + count);
            }
            return;
        }
    }

    private void end(long now) {
        socket.close(now);
        String back = HexFormat.of().formatHex(received.digest());
        String there = HexFormat.of().formatHex(sent.digest());
        result.complete(
                read == total && back.equals(there)
                        ? there
                        : "sent %d bytes, %s; got %d, %s".formatted(written, there, read, back));
    }

    private void fail(long now, String reason) {
        if (result.complete(reason)) {
            socket.close(now);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
