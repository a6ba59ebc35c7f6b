package dev.sluice.verify.bad.tcp;

/** Reaches a collection of boxes through another class. */
final class Scoreboard {
    final Rows rows = new Rows();
}
