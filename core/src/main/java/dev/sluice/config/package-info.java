/** The sysctl table and the immutable configuration compiled from it. */
package dev.sluice.config;
