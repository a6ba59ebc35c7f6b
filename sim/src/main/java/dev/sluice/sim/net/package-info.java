/** Hosts, network cards, queues, links and what may go wrong on them, in virtual time. */
package dev.sluice.sim.net;
