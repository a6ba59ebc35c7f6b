package dev.sluice.runtime.nio;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * A selected-key set: its user may remove keys, and only the selector adds some. A key knows its
 * place, so nothing is allocated for it. Whoever uses it has its monitor, as {@link
 * java.nio.channels.Selector} says.
 */
final class SelectedKeys extends AbstractSet<SelectionKey> {
    /** Of a key that is not selected. */
    static final int NOWHERE = -1;

    private static final int FEWEST = 16;

    private StackSelectionKey[] keys = new StackSelectionKey[FEWEST];
    private int count;
    private int changes;

    /** By the selector; the key is not in the set. */
    void select(StackSelectionKey key) {
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, 2 * count);
        }
        key.selectedAt = count;
        keys[count++] = key;
        changes++;
    }

    @Override
    public boolean add(SelectionKey key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean addAll(Collection<? extends SelectionKey> added) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int size() {
        return count;
    }

    @Override
    public boolean contains(Object key) {
        return key instanceof StackSelectionKey k
                && k.selectedAt != NOWHERE
                && k.selectedAt < count
                && keys[k.selectedAt] == k;
    }

    @Override
    public boolean remove(Object key) {
        if (!contains(key)) {
            return false;
        }
        removeAt(((StackSelectionKey) key).selectedAt);
        return true;
    }

    /** The last one takes its place. */
    private void removeAt(int place) {
        keys[place].selectedAt = NOWHERE;
        count--;
        if (place < count) {
            keys[place] = keys[count];
            keys[place].selectedAt = place;
        }
        keys[count] = null;
        changes++;
    }

    @Override
    public void clear() {
        for (int i = 0; i < count; i++) {
            keys[i].selectedAt = NOWHERE;
        }
        Arrays.fill(keys, 0, count, null);
        count = 0;
        changes++;
    }

    @Override
    public Iterator<SelectionKey> iterator() {
        return new Cursor();
    }

    /** From the last to the first, so that a removal moves none that is still to come. */
    private final class Cursor implements Iterator<SelectionKey> {
        private int next = count - 1;
        private int last = NOWHERE;
        private int seen = changes;

        @Override
        public boolean hasNext() {
            return next >= 0;
        }

        @Override
        public SelectionKey next() {
            checkUnchanged();
            if (next < 0) {
                throw new NoSuchElementException();
            }
            last = next--;
            return keys[last];
        }

        @Override
        public void remove() {
            if (last == NOWHERE) {
                throw new IllegalStateException();
            }
            checkUnchanged();
            removeAt(last);
            last = NOWHERE;
            seen = changes;
        }

        private void checkUnchanged() {
            if (seen != changes) {
                throw new ConcurrentModificationException();
            }
        }
    }
}
