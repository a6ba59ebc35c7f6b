/**
 * The channels and selectors of {@code java.nio} over live stacks, and what {@code java.net} needs
 * on top of them.
 */
package dev.sluice.runtime.nio;
