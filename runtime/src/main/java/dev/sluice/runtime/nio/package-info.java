/**
 * The channels and selectors of {@code java.nio} over live stacks, and what {@code java.net} needs
 * on top of them. The only public door is {@link dev.sluice.runtime.nio.StackSelectorProvider}.
 */
package dev.sluice.runtime.nio;
