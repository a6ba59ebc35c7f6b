package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.Clock;
import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.runtime.loop.Gate;
import dev.sluice.runtime.loop.StackClosedException;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A level-triggered selector (B-8.5). What a selection costs depends on how many keys are ready or
 * have changed, not on how many there are: a key is examined if its channel was signalled, if it
 * was ready the last time, or if more is asked of it than before. The hints only say where to look;
 * what holds is read from the stacks, with one call for each.
 *
 * <p>Beyond what {@link SelectionKey} promises, a running selection notices a change of an interest
 * set at once.
 *
 * <p><b>Ordering</b> (architecture section 8). Whoever has a hint pushes it and then opens the
 * gate; {@code wakeup} sets its flag and then opens the gate. The selecting thread shuts the gate,
 * takes hints and flag, and waits only if there was nothing. Monitors are those that {@link
 * Selector} promises its users; a virtual thread that waits within them gives its carrier back (JEP
 * 491).
 */
final class StackSelector extends AbstractSelector {
    private static final long NEVER = Long.MAX_VALUE;
    private static final long MILLI = 1_000_000L;

    private static final VarHandle HINTS;
    private static final VarHandle WAKEUP;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HINTS = lookup.findVarHandle(StackSelector.class, "hints", StackSelectionKey.class);
            WAKEUP = lookup.findVarHandle(StackSelector.class, "wakeup", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Gate gate = new Gate();
    private final Clock clock = Clock.system();

    /** Latest first. */
    private StackSelectionKey hints;

    private boolean wakeup;

    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> publicKeys = Collections.unmodifiableSet(keys);
    private final SelectedKeys selectedKeys = new SelectedKeys();

    /** One for each loop that had a key worth looking at. */
    private final List<WatchList> lists = new ArrayList<>();

    private final List<SelectionKey> cancelled = new ArrayList<>();

    StackSelector(StackSelectorProvider provider) {
        super(provider);
    }

    // ---- keys --------------------------------------------------------------------------------

    private void ensureOpen() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
    }

    @Override
    public Set<SelectionKey> keys() {
        ensureOpen();
        return publicKeys;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        ensureOpen();
        return selectedKeys;
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object att) {
        if (!(channel instanceof Watched watched) || channel.provider() != provider()) {
            throw new IllegalSelectorException();
        }
        ensureOpen();
        StackSelectionKey key = new StackSelectionKey(this, channel, watched);
        key.attach(att);
        keys.add(key);
        if (!isOpen()) {
            keys.remove(key);
            throw new ClosedSelectorException();
        }
        watched.keys().add(key);
        key.interestOps(ops);
        return key;
    }

    private void flushCancelled() {
        Set<SelectionKey> keysToFlush = cancelledKeys();
        synchronized (keysToFlush) {
            if (keysToFlush.isEmpty()) {
                return;
            }
            cancelled.addAll(keysToFlush);
            keysToFlush.clear();
        }
        for (int i = 0; i < cancelled.size(); i++) {
            remove((StackSelectionKey) cancelled.get(i));
        }
        cancelled.clear();
    }

    private void remove(StackSelectionKey key) {
        key.watched().keys().remove(key);
        keys.remove(key);
        selectedKeys.remove(key);
        deregister(key);
    }

    // ---- for any thread ----------------------------------------------------------------------

    /** A key should be examined; it is in the list once. */
    void push(StackSelectionKey key) {
        StackSelectionKey top;
        do {
            top = (StackSelectionKey) HINTS.getOpaque(this);
            key.nextHint = top;
        } while (!HINTS.weakCompareAndSetRelease(this, top, key));
        gate.open();
    }

    @Override
    public Selector wakeup() {
        WAKEUP.setVolatile(this, true);
        gate.open();
        return this;
    }

    // ---- selecting ---------------------------------------------------------------------------

    @Override
    public int selectNow() throws IOException {
        return select(true, 0);
    }

    @Override
    public int select() throws IOException {
        return select(false, NEVER);
    }

    @Override
    public int select(long timeout) throws IOException {
        if (timeout < 0) {
            throw new IllegalArgumentException("Negative timeout");
        }
        boolean unlimited = timeout == 0 || timeout > (NEVER >> 1) / MILLI;
        return select(false, unlimited ? NEVER : clock.now() + timeout * MILLI);
    }

    private int select(boolean now, long deadline) throws IOException {
        synchronized (this) {
            ensureOpen();
            synchronized (selectedKeys) {
                flushCancelled();
                if (now) {
                    examine();
                } else {
                    awaitReady(deadline);
                }
                WAKEUP.getAndSet(this, false);
                flushCancelled();
                return updateSelected();
            }
        }
    }

    private void awaitReady(long deadline) throws IOException {
        try {
            begin();
            boolean last = false;
            while (true) {
                gate.shut();
                if (examine() || last) {
                    return;
                }
                boolean woken = (boolean) WAKEUP.getVolatile(this) || !isOpen();
                if (woken || Thread.currentThread().isInterrupted()) {
                    return;
                }
                // What became ready at the last moment still counts.
                last = !await(deadline);
            }
        } finally {
            end();
        }
    }

    private boolean await(long deadline) throws IOException {
        EventLoop loop = loop();
        if (loop != null) {
            try {
                return loop.await(gate, deadline);
            } catch (StackClosedException e) {
                // Its keys say so when they are examined; without any, time and wake-ups remain.
            }
        }
        return gate.await(deadline);
    }

    /** One that may be driven while waiting; signals of others open the gate as well. */
    private EventLoop loop() {
        for (int i = 0; i < lists.size(); i++) {
            WatchList list = lists.get(i);
            if (list.loop() != null && !list.isEnded()) {
                return list.loop();
            }
        }
        return null;
    }

    /** Takes the hints and reads what is ready. @return whether anything is */
    private boolean examine() {
        StackSelectionKey key = (StackSelectionKey) HINTS.getAndSet(this, (StackSelectionKey) null);
        while (key != null) {
            StackSelectionKey next = key.nextHint;
            key.nextHint = null;
            if (!key.isListed) {
                listFor(key.watched().loop()).add(key);
            }
            key = next;
        }
        int ready = 0;
        for (int i = 0; i < lists.size(); i++) {
            ready += lists.get(i).examine();
        }
        for (int i = lists.size() - 1; i >= 0; i--) {
            if (lists.get(i).isEnded() && lists.get(i).size() == 0) {
                lists.remove(i);
            }
        }
        return ready > 0;
    }

    /** How many keys the next selection examines besides those that are hinted at until then. */
    int watched() {
        int count = 0;
        for (int i = 0; i < lists.size(); i++) {
            count += lists.get(i).size();
        }
        return count;
    }

    private WatchList listFor(EventLoop loop) {
        for (int i = 0; i < lists.size(); i++) {
            if (lists.get(i).loop() == loop) {
                return lists.get(i);
            }
        }
        WatchList list = new WatchList(loop);
        lists.add(list);
        return list;
    }

    private int updateSelected() {
        int updated = 0;
        for (int i = 0; i < lists.size(); i++) {
            WatchList list = lists.get(i);
            for (int k = 0; k < list.size(); k++) {
                StackSelectionKey key = list.key(k);
                int ops = key.isValid() ? key.selectedOps() : 0;
                if (ops == 0) {
                    continue;
                }
                if (selectedKeys.contains(key)) {
                    updated += key.addReadyOps(ops) ? 1 : 0;
                } else {
                    key.readyOps(ops);
                    selectedKeys.select(key);
                    updated++;
                }
            }
        }
        return updated;
    }

    // ---- closing -----------------------------------------------------------------------------

    @Override
    protected void implCloseSelector() throws IOException {
        wakeup();
        synchronized (this) {
            synchronized (selectedKeys) {
                for (SelectionKey key : keys) {
                    key.cancel();
                    remove((StackSelectionKey) key);
                }
                synchronized (cancelledKeys()) {
                    cancelledKeys().clear();
                }
                lists.clear();
            }
        }
    }
}
