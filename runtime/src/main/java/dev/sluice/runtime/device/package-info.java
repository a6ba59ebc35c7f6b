/** What packets of a live stack come from and go to. */
package dev.sluice.runtime.device;
