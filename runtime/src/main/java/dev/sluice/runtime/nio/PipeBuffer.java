package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.Gate;
import dev.sluice.socket.SocketError;
import dev.sluice.tcp.Readiness;

import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bytes in a pipe, as many as Linux keeps in one ({@code pipe(7)}).
 *
 * <p><b>Ordering</b> (architecture section 8). Everything is under {@code lock}, held for moments;
 * gates are opened and keys are told afterwards, so that whoever shut its gate before it looked
 * learns of every change.
 */
final class PipeBuffer {
    private static final int CAPACITY = 65_536;

    /** A write of up to so many bytes is never torn, and with so much room the pipe is writable. */
    private static final int ATOMIC = 4096;

    private final ReentrantLock lock = new ReentrantLock();
    private final byte[] ring = new byte[CAPACITY];
    private int head;
    private int count;
    private boolean sourceClosed;
    private boolean sinkClosed;

    private final Gate reader = new Gate();
    private final Gate writer = new Gate();
    private final KeyList sourceKeys = new KeyList();
    private final KeyList sinkKeys = new KeyList();

    Gate reader() {
        return reader;
    }

    Gate writer() {
        return writer;
    }

    KeyList sourceKeys() {
        return sourceKeys;
    }

    KeyList sinkKeys() {
        return sinkKeys;
    }

    /**
     * Reads into buffers; {@link StreamPort#AGAIN} or {@link StreamPort#END} if there is nothing.
     */
    long read(ByteBuffer[] into, int from, int to) {
        lock.lock();
        long total = 0;
        try {
            if (count == 0) {
                return sinkClosed ? StreamPort.END : StreamPort.AGAIN;
            }
            for (int i = from; i < to && count > 0; i++) {
                total += take(into[i]);
            }
        } finally {
            lock.unlock();
        }
        writer.open();
        sinkKeys.signal(Readiness.OUT);
        return total;
    }

    private int take(ByteBuffer into) {
        int taken = 0;
        while (count > 0 && into.hasRemaining()) {
            int chunk = Math.min(Math.min(count, CAPACITY - head), into.remaining());
            into.put(ring, head, chunk);
            head = (head + chunk) % CAPACITY;
            count -= chunk;
            taken += chunk;
        }
        return taken;
    }

    /**
     * Writes from buffers; {@link StreamPort#AGAIN} or {@code -EPIPE} if nothing was taken.
     *
     * @param wanted bytes in all of them together, at least one
     */
    long write(ByteBuffer[] sources, int from, int to, long wanted) {
        lock.lock();
        long total = 0;
        try {
            if (sourceClosed) {
                return SocketError.EPIPE.result();
            }
            int free = CAPACITY - count;
            if (free == 0 || wanted <= ATOMIC && free < wanted) {
                return StreamPort.AGAIN;
            }
            for (int i = from; i < to && count < CAPACITY; i++) {
                total += put(sources[i]);
            }
        } finally {
            lock.unlock();
        }
        reader.open();
        sourceKeys.signal(Readiness.IN);
        return total;
    }

    private int put(ByteBuffer source) {
        int start = source.position();
        while (count < CAPACITY && source.hasRemaining()) {
            int tail = (head + count) % CAPACITY;
            int chunk = Math.min(CAPACITY - count, CAPACITY - tail);
            chunk = Math.min(chunk, source.remaining());
            source.get(ring, tail, chunk);
            count += chunk;
        }
        return source.position() - start;
    }

    /** EPOLL* bits of the end that is read. */
    int sourceReady() {
        lock.lock();
        try {
            return (count > 0 ? Readiness.IN : 0) | (sinkClosed ? Readiness.HUP : 0);
        } finally {
            lock.unlock();
        }
    }

    /** EPOLL* bits of the end that is written. */
    int sinkReady() {
        lock.lock();
        try {
            return (CAPACITY - count >= ATOMIC ? Readiness.OUT : 0)
                    | (sourceClosed ? Readiness.ERR : 0);
        } finally {
            lock.unlock();
        }
    }

    void closeSource() {
        lock.lock();
        try {
            sourceClosed = true;
            count = 0;
        } finally {
            lock.unlock();
        }
        wakeBoth();
        sinkKeys.signal(Readiness.ERR);
    }

    void closeSink() {
        lock.lock();
        try {
            sinkClosed = true;
        } finally {
            lock.unlock();
        }
        wakeBoth();
        sourceKeys.signal(Readiness.HUP);
    }

    private void wakeBoth() {
        reader.open();
        writer.open();
    }
}
