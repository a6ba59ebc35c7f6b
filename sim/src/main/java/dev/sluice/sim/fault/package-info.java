/** Things that break, at a time. */
package dev.sluice.sim.fault;
