/**
 * The unit that is driven: interfaces, routes, IP, demultiplexing, UDP, ICMP and the per-stack
 * queues.
 */
package dev.sluice.stack;
