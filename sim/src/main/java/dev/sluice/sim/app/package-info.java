/**
 * Programs for simulated hosts: bulk transfer, echo, request and response, slow readers, idlers.
 */
package dev.sluice.sim.app;
