/** Latency: how it is measured, recorded and shown. */
package dev.sluice.lab.load;
