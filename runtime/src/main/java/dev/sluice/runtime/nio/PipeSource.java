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
 * The end of a pipe that is read.
 *
 * <p><b>Ordering</b> (architecture section 8). {@code readLock} is held for the whole of a read. A
 * thread that blocks shuts the gate, tries, and looks whether the channel is still open; whoever
 * closes it marks it closed first and then opens the gate.
 */
final class PipeSource extends Pipe.SourceChannel implements Watched {
    private final ReentrantLock readLock = new ReentrantLock();
    private final PipeBuffer buffer;

    PipeSource(StackSelectorProvider provider, PipeBuffer buffer) {
        super(provider);
        this.buffer = buffer;
    }

    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
        Objects.requireNonNull(destination);
        return (int) read(new ByteBuffer[] {destination}, 0, 1);
    }

    @Override
    public long read(ByteBuffer[] destinations) throws IOException {
        return read(destinations, 0, destinations.length);
    }

    @Override
    public long read(ByteBuffer[] destinations, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, destinations.length);
        long room = 0;
        for (int i = offset; i < offset + length; i++) {
            if (destinations[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
            room += destinations[i].remaining();
        }
        readLock.lock();
        try {
            ensureOpen();
            boolean blocking = isBlocking();
            long result = 0;
            try {
                if (blocking) {
                    begin();
                    ensureOpen();
                }
                result = room == 0 ? 0 : read(destinations, offset, offset + length, blocking);
            } finally {
                if (blocking) {
                    end(result > 0);
                }
            }
            return result == StreamPort.END ? -1 : Math.max(0, result);
        } finally {
            readLock.unlock();
        }
    }

    private long read(ByteBuffer[] into, int from, int to, boolean blocking) {
        while (true) {
            if (blocking) {
                buffer.reader().shut();
            }
            long result = buffer.read(into, from, to);
            if (result != StreamPort.AGAIN || !blocking || mayNotWait()) {
                return result;
            }
            buffer.reader().await(Long.MAX_VALUE);
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
        readLock.lock();
        try {
            // Nothing to be done: both modes share the code. A read that blocks is over.
            ensureOpen();
        } finally {
            readLock.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() {
        buffer.closeSource();
    }

    @Override
    public KeyList keys() {
        return buffer.sourceKeys();
    }

    @Override
    public EventLoop loop() {
        return null;
    }

    @Override
    public int readySet() {
        return buffer.sourceReady();
    }

    @Override
    public int readyOps(int events, int interest) {
        return (events & (Readiness.IN | Readiness.HUP)) != 0 ? SelectionKey.OP_READ : 0;
    }
}
