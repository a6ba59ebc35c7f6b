/**
 * The virtual clock and the event queue: the other driver of the core, beside the live event loop.
 */
package dev.sluice.sim.engine;
