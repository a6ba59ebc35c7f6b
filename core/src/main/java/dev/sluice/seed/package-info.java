/** The only source of randomness: a generator whose algorithm is part of its contract. */
package dev.sluice.seed;
