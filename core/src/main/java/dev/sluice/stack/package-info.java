/** The unit that is driven: interfaces, routes, demultiplexing, ICMP and the per-stack queues. */
package dev.sluice.stack;
