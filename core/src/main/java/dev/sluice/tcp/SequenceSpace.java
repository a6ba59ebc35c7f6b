package dev.sluice.tcp;

/**
 * The two doors between 32-bit wire numbers and 64-bit offsets (architecture section 5).
 *
 * <p>An offset counts from the initial sequence number of its direction: SYN is 0, the first byte
 * 1. A wire number is unwrapped to the offset nearest a reference the caller knows to be close.
 */
final class SequenceSpace {
    /** ISS: our initial sequence number. */
    private final int iss;

    /** IRS: the peer's, known once its SYN arrived. */
    private int irs;

    SequenceSpace(int iss) {
        this.iss = iss;
    }

    int iss() {
        return iss;
    }

    int irs() {
        return irs;
    }

    void irs(int initialReceiveSequence) {
        irs = initialReceiveSequence;
    }

    /** SEG.SEQ to an offset near {@code reference}, usually RCV.NXT. */
    long receiveOffset(int wire, long reference) {
        return reference + (wire - (irs + (int) reference));
    }

    /** SEG.ACK or a SACK edge to an offset near {@code reference}, usually SND.UNA. */
    long sendOffset(int wire, long reference) {
        return reference + (wire - (iss + (int) reference));
    }

    int wireSend(long offset) {
        return iss + (int) offset;
    }

    int wireReceive(long offset) {
        return irs + (int) offset;
    }
}
