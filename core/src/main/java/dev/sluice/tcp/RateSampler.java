package dev.sluice.tcp;

import dev.sluice.tcp.congestion.AckSample;

/**
 * How fast the path delivers, measured per ACK over the flight it acknowledges (B-5.5; Linux's rate
 * samples, draft-cheng-iccrg-delivery-rate-estimation).
 *
 * <p>A sample divides what was delivered since the acknowledged row was sent by the longer of the
 * time it took to send and the time it took to acknowledge that much.
 */
final class RateSampler {
    /** Segments delivered since this part was taken into use. */
    private long delivered;

    /** When {@link #delivered} last changed. */
    private long deliveredNanos;

    /** Send time of the row delivered last: where the next send phase begins. */
    private long firstSentNanos;

    /** Samples are application-limited until this many are delivered; 0 if they are not. */
    private long appLimitedUntil;

    private int rateDelivered;
    private long rateIntervalNanos;
    private boolean rateAppLimited;

    void reset() {
        delivered = 0;
        deliveredNanos = 0;
        firstSentNanos = 0;
        appLimitedUntil = 0;
        rateDelivered = 0;
        rateIntervalNanos = 0;
        rateAppLimited = false;
    }

    /**
     * Taken into use by a connection that has delivered that many. Nothing was in flight and
     * nothing to be sent, which is as application-limited as can be.
     */
    void begin(long deliveredBefore) {
        delivered = deliveredBefore;
        markAppLimited(0);
    }

    long delivered() {
        return delivered;
    }

    /**
     * A row is sent, for the first time or again.
     *
     * @param firstInFlight nothing else is in flight: a new send phase begins
     * @param inFlight segments in flight now, the row's among them
     */
    void onSent(Scoreboard scoreboard, int row, long now, boolean firstInFlight, int inFlight) {
        if (firstInFlight) {
            firstSentNanos = now;
            deliveredNanos = now;
        }
        scoreboard.snapshot(
                row, delivered, deliveredNanos, firstSentNanos, inFlight, appLimitedUntil != 0);
    }

    /** The application has nothing more to send now, and the network could take it (B-2.13). */
    void markAppLimited(int inFlight) {
        appLimitedUntil = Math.max(1, delivered + inFlight);
    }

    boolean isAppLimited() {
        return appLimitedUntil != 0;
    }

    /** Counts segments as delivered; before {@link #sample}. */
    void addDelivered(int segments) {
        delivered += segments;
    }

    /**
     * Makes the sample of one ACK.
     *
     * @param newlyDelivered segments this ACK delivered
     * @param totalLost segments ever taken as lost
     * @param reneging what SACKs said cannot be believed
     */
    void sample(
            AckOutcome o, int newlyDelivered, int totalLost, boolean reneging, AckSample sample) {
        if (appLimitedUntil != 0 && delivered > appLimitedUntil) {
            appLimitedUntil = 0;
        }
        if (newlyDelivered > 0) {
            deliveredNanos = o.now;
        }
        sample.rateDelivered = -1;
        sample.rateIntervalNanos = -1;
        sample.priorDelivered = -1;
        sample.txInFlight = 0;
        sample.lostSinceSent = 0;
        sample.rateAppLimited = false;
        sample.rateRetransmitted = false;
        if (!o.rateSampled) {
            return;
        }
        firstSentNanos = o.rateSent;
        sample.priorDelivered = o.ratePriorDelivered;
        sample.rateAppLimited = o.rateAppLimited;
        sample.rateRetransmitted = o.rateRetransmitted;
        sample.txInFlight = o.rateTxInFlight;
        sample.lostSinceSent = totalLost - o.rateLostBefore;
        if (reneging) {
            return;
        }
        long sendPhase = o.rateSent - o.rateFirstSent;
        long ackPhase = o.now - o.ratePriorNanos;
        long interval = Math.max(sendPhase, ackPhase);
        sample.rateDelivered = (int) (delivered - o.ratePriorDelivered);
        if (interval <= 0 || interval < o.minRttNanos) {
            // Faster than the path can be: a stretched or spurious acknowledgment.
            return;
        }
        sample.rateIntervalNanos = interval;
        boolean faster =
                rateIntervalNanos == 0
                        || sample.rateDelivered * rateIntervalNanos >= rateDelivered * interval;
        if (!sample.rateAppLimited || faster) {
            rateDelivered = sample.rateDelivered;
            rateIntervalNanos = interval;
            rateAppLimited = sample.rateAppLimited;
        }
    }

    /** Latest delivery rate in bytes per second ({@code tcpi_delivery_rate}); 0 if unknown. */
    long deliveryRate(int mss) {
        if (rateIntervalNanos == 0) {
            return 0;
        }
        return Pacer.perSecond((long) rateDelivered * mss, rateIntervalNanos);
    }

    /** Whether {@link #deliveryRate} was measured while the application was the limit. */
    boolean deliveryRateAppLimited() {
        return rateAppLimited;
    }
}
