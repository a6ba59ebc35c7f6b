/** Sockets as Linux defines them, never blocking: calls return counts, 0 or a negative errno. */
package dev.sluice.socket;
