/** Named, seeded experiments in the simulator, each with what is expected of it. */
package dev.sluice.lab.scenario;
