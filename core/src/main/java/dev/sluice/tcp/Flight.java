package dev.sluice.tcp;

/**
 * What a connection needs only while something is queued, in flight or being repaired: held from
 * the first byte written until the connection is quiet again, then returned to the stack's pool
 * (architecture section 10).
 */
final class Flight {
    final Scoreboard scoreboard = new Scoreboard();
    final LossDetector lossDetector = new LossDetector(scoreboard);
    final Recovery recovery = new Recovery();
    final CwndValidation validation = new CwndValidation();
    final RateSampler rateSampler = new RateSampler();
    final Pacer pacer = new Pacer();
    final SendQueue sendQueue = new SendQueue();
    final SmallQueue smallQueue = new SmallQueue();

    /**
     * When the first unanswered retransmission was sent; 0 for none (Linux {@code retrans_stamp}).
     */
    long retransmitStamp;

    /** When the first unanswered window probe was sent; 0 for none ({@code icsk_probes_tstamp}). */
    long probeStamp;

    /**
     * The row of a Fast Open connection whose SYN-ACK is not acknowledged yet (Linux {@code
     * fastopen_rsk}); null otherwise.
     */
    HalfOpen halfOpen;

    /** Link of the pool's free list. */
    Flight nextFree;

    /** To the state of a fresh one. */
    void reset() {
        retransmitStamp = 0;
        probeStamp = 0;
        halfOpen = null;
        scoreboard.reset();
        lossDetector.reset();
        recovery.reset();
        validation.reset();
        rateSampler.reset();
        pacer.reset();
        sendQueue.reset();
        smallQueue.reset();
    }
}
