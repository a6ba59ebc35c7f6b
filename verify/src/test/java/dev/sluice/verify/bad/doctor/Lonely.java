package dev.sluice.verify.bad.doctor;

/** An interface with one implementation. */
interface Lonely {
    int answer();

    /** The one implementation. */
    record Only(int answer) implements Lonely {}
}
