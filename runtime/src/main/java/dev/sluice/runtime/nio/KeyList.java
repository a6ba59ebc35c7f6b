package dev.sluice.runtime.nio;

import java.util.ArrayList;
import java.util.List;

/**
 * The keys of one channel, to be told by whoever drives its stack.
 *
 * <p><b>Ordering</b> (architecture section 8). The list is replaced as a whole and read without a
 * lock. A key that is not yet seen by {@link #signal} loses nothing: it is examined after it was
 * added, and what holds then is read from the stack.
 */
final class KeyList {
    private volatile List<StackSelectionKey> keys = List.of();

    synchronized void add(StackSelectionKey key) {
        List<StackSelectionKey> next = new ArrayList<>(keys);
        next.add(key);
        keys = List.copyOf(next);
    }

    synchronized void remove(StackSelectionKey key) {
        List<StackSelectionKey> next = new ArrayList<>(keys);
        next.remove(key);
        keys = List.copyOf(next);
    }

    /** EPOLL* bits became true. */
    void signal(int events) {
        List<StackSelectionKey> present = keys;
        for (int i = 0; i < present.size(); i++) {
            present.get(i).signal(events);
        }
    }

    /** The state of the channel changed, so that the same bits mean other operations. */
    void examine() {
        List<StackSelectionKey> present = keys;
        for (int i = 0; i < present.size(); i++) {
            present.get(i).hint();
        }
    }
}
