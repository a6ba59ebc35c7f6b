package dev.sluice.runtime.nio;

import dev.sluice.tcp.Readiness;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;

/**
 * A channel in a selector.
 *
 * <p><b>Ordering</b> (architecture section 8). {@code hinted} is set by compare-and-set before the
 * key is pushed on the selector's list and cleared before its readiness is read: a signal that
 * comes after the reading finds it clear and pushes the key again.
 */
final class StackSelectionKey extends AbstractSelectionKey {
    private static final int READABLE = Readiness.IN | Readiness.RDHUP;

    /** Concern every operation. */
    private static final int FINAL = Readiness.ERR | Readiness.HUP;

    private static final VarHandle INTEREST;
    private static final VarHandle HINTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            INTEREST = lookup.findVarHandle(StackSelectionKey.class, "interest", int.class);
            HINTED = lookup.findVarHandle(StackSelectionKey.class, "hinted", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final StackSelector selector;
    private final SelectableChannel channel;
    private final Watched watched;
    private volatile int interest;
    private volatile int ready;
    private boolean hinted;

    /** In the selector's list of hints. */
    StackSelectionKey nextHint;

    // Of the selecting thread.

    /** In one of its lists of keys that are examined by every selection. */
    boolean isListed;

    /** The EPOLL* bits last read. */
    int events;

    /** Place in {@link SelectedKeys}, under its monitor. */
    int selectedAt = SelectedKeys.NOWHERE;

    StackSelectionKey(StackSelector selector, SelectableChannel channel, Watched watched) {
        this.selector = selector;
        this.channel = channel;
        this.watched = watched;
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    Watched watched() {
        return watched;
    }

    @Override
    public Selector selector() {
        return selector;
    }

    private void ensureValid() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    @Override
    public int interestOps() {
        ensureValid();
        return interest;
    }

    @Override
    public SelectionKey interestOps(int ops) {
        ensureValid();
        checkOps(ops);
        interestChanged((int) INTEREST.getAndSet(this, ops), ops);
        return this;
    }

    @Override
    public int interestOpsOr(int ops) {
        ensureValid();
        checkOps(ops);
        int before = (int) INTEREST.getAndBitwiseOr(this, ops);
        interestChanged(before, before | ops);
        return before;
    }

    @Override
    public int interestOpsAnd(int ops) {
        ensureValid();
        return (int) INTEREST.getAndBitwiseAnd(this, ops);
    }

    private void checkOps(int ops) {
        if ((ops & ~channel.validOps()) != 0) {
            throw new IllegalArgumentException();
        }
    }

    /** What is asked for anew may hold already, without a signal to come. */
    private void interestChanged(int before, int after) {
        if ((after & ~before) != 0) {
            hint();
        }
    }

    @Override
    public int readyOps() {
        ensureValid();
        return ready;
    }

    /** The operations of interest that are ready, by the bits last read. */
    int selectedOps() {
        int wanted = interest;
        return wanted == 0 ? 0 : watched.readyOps(events, wanted) & wanted;
    }

    /** Sets the ready set, of a key that is not selected yet. */
    void readyOps(int ops) {
        ready = ops;
    }

    /** Adds to the ready set. @return whether that changed it */
    boolean addReadyOps(int ops) {
        int before = ready;
        ready = before | ops;
        return ready != before;
    }

    /** EPOLL* bits became true. By whoever drives the channel's stack. */
    void signal(int bits) {
        int wanted = interest;
        int relevant = wanted == 0 ? 0 : FINAL;
        if ((wanted & (OP_READ | OP_ACCEPT)) != 0) {
            relevant |= READABLE;
        }
        if ((wanted & (OP_WRITE | OP_CONNECT)) != 0) {
            relevant |= Readiness.OUT;
        }
        if ((bits & relevant) != 0) {
            hint();
        }
    }

    /** Has the selector examine this key. By any thread. */
    void hint() {
        if (HINTED.compareAndSet(this, false, true)) {
            selector.push(this);
        }
    }

    /** Before its readiness is read. */
    void clearHint() {
        HINTED.setVolatile(this, false);
    }
}
