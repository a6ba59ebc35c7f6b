package dev.sluice.verify.bad.undrawn;

/** Lies in no package of the drawing. */
public final class Stray {}
