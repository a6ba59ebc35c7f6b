package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.tcp.Readiness;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The end of a pipe that is written.
 *
 * <p><b>Ordering</b> (architecture section 8). As in {@link PipeSource}.
 */
final class PipeSink extends Pipe.SinkChannel implements Watched {
    private final ReentrantLock writeLock = new ReentrantLock();
    private final PipeBuffer buffer;

    PipeSink(StackSelectorProvider provider, PipeBuffer buffer) {
        super(provider);
        this.buffer = buffer;
    }

    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        Objects.requireNonNull(source);
        return (int) write(new ByteBuffer[] {source}, 0, 1);
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        long wanted = 0;
        for (int i = offset; i < offset + length; i++) {
            wanted += sources[i].remaining();
        }
        writeLock.lock();
        try {
            ensureOpen();
            boolean blocking = isBlocking();
            long result = 0;
            try {
                if (blocking) {
                    begin();
                    ensureOpen();
                }
                if (wanted > 0) {
                    result = write(sources, offset, offset + length, wanted, blocking);
                }
            } finally {
                if (blocking) {
                    end(result > 0);
                }
            }
            if (result < 0 && result != StreamPort.AGAIN) {
                throw SocketExceptions.ofTransfer((int) result);
            }
            return Math.max(0, result);
        } finally {
            writeLock.unlock();
        }
    }

    /** A blocking write takes everything, unless something ends it. */
    private long write(ByteBuffer[] sources, int from, int to, long wanted, boolean blocking) {
        long done = 0;
        while (true) {
            if (blocking) {
                buffer.writer().shut();
            }
            long result = buffer.write(sources, from, to, wanted - done);
            if (result > 0) {
                done += result;
            }
            boolean goOn =
                    blocking
                            && done < wanted
                            && (result > 0 || result == StreamPort.AGAIN)
                            && !mayNotWait();
            if (!goOn) {
                return done > 0 ? done : result;
            }
            if (result == StreamPort.AGAIN) {
                buffer.writer().await(Long.MAX_VALUE);
            }
        }
    }

    /** Looked at after the gate was shut. */
    private boolean mayNotWait() {
        if (Thread.currentThread().isInterrupted()) {
            // Whoever interrupts may not have come to closing the channel yet: this does.
            begin();
            return true;
        }
        return !isOpen();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        writeLock.lock();
        try {
            // Nothing to be done: both modes share the code. A write that blocks is over.
            ensureOpen();
        } finally {
            writeLock.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() {
        buffer.closeSink();
    }

    @Override
    public KeyList keys() {
        return buffer.sinkKeys();
    }

    @Override
    public EventLoop loop() {
        return null;
    }

    @Override
    public int readySet() {
        return buffer.sinkReady();
    }

    @Override
    public int readyOps(int events, int interest) {
        return (events & (Readiness.OUT | Readiness.ERR)) != 0 ? SelectionKey.OP_WRITE : 0;
    }
}
