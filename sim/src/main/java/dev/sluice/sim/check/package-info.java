/** What must hold in every run, watched while it runs. */
package dev.sluice.sim.check;
