package dev.sluice.verify.bad.doctor;

/** A name that would fit any class, and a class that is open to extension. */
class ReaderImpl {}
