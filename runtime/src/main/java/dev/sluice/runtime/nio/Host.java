package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.stack.NetworkStack;

/**
 * A stack and the loop that drives it, which is how channels see a live stack.
 *
 * @param loop through which {@code stack} is called
 * @param stack to be touched inside a call of {@code loop}
 */
public record Host(EventLoop loop, NetworkStack stack) {}
