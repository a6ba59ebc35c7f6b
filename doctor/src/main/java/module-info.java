/** Explains packet captures with the codecs and the vocabulary of the core. */
module dev.sluice.doctor {
    requires transitive dev.sluice.core;

    exports dev.sluice.doctor.capture;
}
