/** The live driver of a stack: one thread, real time. */
package dev.sluice.runtime.loop;
