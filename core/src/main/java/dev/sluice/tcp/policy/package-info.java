/**
 * Decisions on which specifications, Linux's own history and other stacks disagree, each behind a
 * small interface with the modern rule as its default.
 */
package dev.sluice.tcp.policy;
