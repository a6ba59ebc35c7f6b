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

    /** Link of the pool's free list. */
    Flight nextFree;

    /** To the state of a fresh one. */
    void reset() {
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
