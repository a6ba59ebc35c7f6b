/** Counters, the observer seam and the binary event log: how a stack is seen from outside. */
package dev.sluice.trace;
