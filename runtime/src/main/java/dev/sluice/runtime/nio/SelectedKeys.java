package dev.sluice.runtime.nio;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.Set;

/** A selected-key set as its user sees it: keys may be removed, and none may be added. */
final class SelectedKeys extends AbstractSet<SelectionKey> {
    private final Set<SelectionKey> keys;

    SelectedKeys(Set<SelectionKey> keys) {
        this.keys = keys;
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
        return keys.size();
    }

    @Override
    public boolean contains(Object key) {
        return keys.contains(key);
    }

    @Override
    public boolean remove(Object key) {
        return keys.remove(key);
    }

    @Override
    public void clear() {
        keys.clear();
    }

    @Override
    public Iterator<SelectionKey> iterator() {
        return keys.iterator();
    }
}
