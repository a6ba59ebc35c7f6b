package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.EventLoop;

/** What a selector asks of a channel of ours. */
interface Watched {
    /** Where the keys of this channel are told about its signals. */
    KeyList keys();

    /** The loop of the stack that the channel is on; null if it is on none. */
    EventLoop loop();

    /**
     * EPOLL* bits that hold now; 0 of a channel that is neither connected nor connecting. Inside a
     * call of {@link #loop}, if there is one.
     */
    int readySet();

    /**
     * The operations that {@code events} make possible in the channel's present state.
     *
     * @param events EPOLL* bits
     * @param interest of which of {@code SelectionKey}'s operations
     */
    int readyOps(int events, int interest);
}
