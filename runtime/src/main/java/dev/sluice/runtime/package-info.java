/** Live stacks: the core on devices of this machine, in real time. */
package dev.sluice.runtime;
