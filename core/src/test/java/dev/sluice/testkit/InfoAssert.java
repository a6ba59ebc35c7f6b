package dev.sluice.testkit;

import dev.sluice.tcp.TcpInfo;
import dev.sluice.tcp.TcpState;
import dev.sluice.tcp.congestion.CongestionState;

/** Assertions on a snapshot of {@code tcp_info}, with Linux's names. */
public final class InfoAssert {
    private final TcpTest exchange;
    private final TcpInfo info;

    InfoAssert(TcpTest exchange, TcpInfo info) {
        this.exchange = exchange;
        this.info = info;
    }

    /** The field of that Linux name is that value: {@code has("snd_cwnd", 10)}. */
    public InfoAssert has(String field, long expected) {
        return hasBetween(field, expected, expected);
    }

    /** The field of that Linux name is within the bounds, both included. */
    public InfoAssert hasBetween(String field, long low, long high) {
        long actual = value(field);
        if (actual < low || actual > high) {
            String wanted = low == high ? Long.toString(low) : low + " to " + high;
            throw exchange.failure(
                    "tcpi_%s: expected %s but was %d".formatted(field, wanted, actual));
        }
        return this;
    }

    /** The field of that Linux name. */
    public long value(String field) {
        long actual = info.get(field);
        if (actual == Long.MIN_VALUE) {
            throw new IllegalArgumentException("tcp_info has no field " + field);
        }
        return actual;
    }

    public InfoAssert hasState(TcpState state) {
        if (info.state != state.linuxNumber()) {
            throw exchange.failure(
                    "tcpi_state: expected %s (%d) but was %d"
                            .formatted(state, state.linuxNumber(), info.state));
        }
        return this;
    }

    public InfoAssert hasCaState(CongestionState state) {
        CongestionState actual = CongestionState.values()[info.caState];
        if (actual != state) {
            throw exchange.failure(
                    "tcpi_ca_state: expected %s but was %s".formatted(state, actual));
        }
        return this;
    }

    /** Segments in the network that are retransmissions (Linux {@code retrans_out}). */
    public InfoAssert hasRetransmits(int segments) {
        return has("retrans", segments);
    }

    public InfoAssert hasCwnd(int segments) {
        return has("snd_cwnd", segments);
    }

    public InfoAssert hasSsthresh(int segments) {
        return has("snd_ssthresh", segments);
    }

    /** Goes on with the exchange. */
    public TcpTest and() {
        return exchange;
    }
}
