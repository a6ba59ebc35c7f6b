/** What the lab plays: networks, programs and what is recorded of them. */
package dev.sluice.lab.scenario;
