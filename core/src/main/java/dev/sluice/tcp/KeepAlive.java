package dev.sluice.tcp;

/**
 * Idle probing (RFC 9293 section 3.8.4, B-10.10): when the next probe is due and when it was the
 * last.
 */
final class KeepAlive {
    private KeepAlive() {}

    /** What an expiry of the KEEPALIVE timer calls for. */
    enum Verdict {
        /** Something was heard in the meantime: look again later. */
        NOT_IDLE,
        /** Send a probe. */
        PROBE,
        /** The peer is gone. */
        GIVE_UP
    }

    /** Time since anything arrived from the peer. */
    static long idleNanos(long now, long lastReceiveNanos) {
        return now - lastReceiveNanos;
    }

    static Verdict verdict(TcpSettings settings, long idleNanos, int probesOut) {
        if (idleNanos < settings.keepIdleNanos) {
            return Verdict.NOT_IDLE;
        }
        boolean tooLong =
                settings.userTimeoutNanos > 0
                        ? idleNanos >= settings.userTimeoutNanos && probesOut > 0
                        : probesOut >= settings.keepCount;
        return tooLong ? Verdict.GIVE_UP : Verdict.PROBE;
    }
}
