package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.Command;
import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.runtime.loop.StackClosedException;
import dev.sluice.tcp.Readiness;

import java.util.Arrays;

/**
 * The keys of one selector on one stack that may be ready: those that were hinted at, and those
 * that were ready when last looked at. Used by the selecting thread; all are examined in one call.
 */
final class WatchList {
    private static final int FEWEST = 16;

    /** Of a stack that has ended: every operation reports it. */
    private static final int ENDED =
            Readiness.IN | Readiness.OUT | Readiness.ERR | Readiness.HUP | Readiness.RDHUP;

    /** Null for channels that are on no stack. */
    private final EventLoop loop;

    private final Command examination = new Command(this::examineNow);
    private StackSelectionKey[] keys = new StackSelectionKey[FEWEST];
    private int count;
    private boolean ended;

    WatchList(EventLoop loop) {
        this.loop = loop;
    }

    EventLoop loop() {
        return loop;
    }

    int size() {
        return count;
    }

    StackSelectionKey key(int i) {
        return keys[i];
    }

    /** The stack has ended, so it cannot be waited for. */
    boolean isEnded() {
        return ended;
    }

    void add(StackSelectionKey key) {
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, 2 * count);
        }
        keys[count++] = key;
        key.isListed = true;
    }

    /** Drops what is not ready any more; a signal brings it back. @return how many are left */
    int examine() {
        if (count == 0) {
            return 0;
        }
        if (loop == null) {
            examineNow(0);
        } else {
            call();
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            StackSelectionKey key = keys[i];
            if (key.isValid() && key.selectedOps() != 0) {
                keys[kept++] = key;
            } else {
                key.isListed = false;
            }
        }
        Arrays.fill(keys, kept, count, null);
        count = kept;
        return kept;
    }

    private void call() {
        try {
            loop.call(examination);
        } catch (StackClosedException e) {
            ended = true;
            for (int i = 0; i < count; i++) {
                keys[i].clearHint();
                keys[i].events = ENDED;
            }
        }
    }

    private long examineNow(long now) {
        for (int i = 0; i < count; i++) {
            StackSelectionKey key = keys[i];
            key.clearHint();
            if (key.watched().loop() == loop) {
                key.events = key.watched().readySet();
            } else {
                // The channel has moved to another stack, and its hint may have come before this
                // one was cleared: the next examination finds the key on the other list.
                key.events = 0;
                key.hint();
            }
        }
        return 0;
    }
}
