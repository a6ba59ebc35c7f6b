package dev.sluice.verify.bad.doctor;

/** Inherits from a class of the same root. */
final class Child extends ReaderImpl {}
