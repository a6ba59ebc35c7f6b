/** What a live stack says about itself, as text and through JMX. */
package dev.sluice.runtime.monitor;
