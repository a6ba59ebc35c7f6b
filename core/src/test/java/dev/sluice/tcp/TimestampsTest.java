package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimestampsTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private final Timestamps timestamps = new Timestamps();

    @ParameterizedTest(name = "recent {0}, value {1}, {2} s later: old {3}")
    @CsvSource({
        "1000, 1000, 1, false",
        "1000, 999, 1, false", // one tick is tolerated
        "1000, 998, 1, true",
        "1000, 5000, 1, false",
        "5, -10, 1, true", // the clock wraps
        "-10, 5, 1, false",
        "1000, 998, 2146, true",
        "1000, 998, 2147, false", // what is that old says nothing
        "0, -5, 1, false" // peers that send zero in the SYN
    })
    void paws(int recent, int value, long seconds, boolean old) {
        timestamps.onSyn(SECOND, recent);
        assertThat(timestamps.isOld((1 + seconds) * SECOND, value)).isEqualTo(old);
    }

    @ParameterizedTest(name = "value {0}, SEG.SEQ {1}, Last.ACK.sent {2} -> TS.Recent {3}")
    @CsvSource({
        "1001, 500, 500, 1001",
        "1001, 400, 500, 1001",
        "1001, 501, 500, 1000", // beyond the last ACK: a delayed ACK must echo the earlier one
        "999, 500, 500, 1000",
        "1000, 500, 500, 1000"
    })
    void recent_is_what_covers_the_last_ack(int value, long seq, long lastAckSent, int expected) {
        timestamps.onSyn(SECOND, 1000);
        timestamps.update(2 * SECOND, value, seq, lastAckSent);
        assertThat(timestamps.tsRecent).isEqualTo(expected);
    }

    @Test
    void an_update_renews_the_time_for_which_paws_holds() {
        timestamps.onSyn(SECOND, 1000);
        timestamps.update(2000 * SECOND, 1001, 1, 1);
        assertThat(timestamps.isOld(3000 * SECOND, 900)).isTrue();
    }

    @Test
    void clock_counts_milliseconds_from_an_offset_and_wraps() {
        timestamps.start(Integer.MAX_VALUE);
        assertThat(timestamps.clock(0)).isEqualTo(Integer.MAX_VALUE);
        assertThat(timestamps.clock(MILLI)).isEqualTo(Integer.MIN_VALUE);
        assertThat(Timestamps.baseClock(1_999_999)).isEqualTo(1);
    }

    @Test
    void round_trip_is_at_least_a_tick() {
        timestamps.start(77);
        int sent = timestamps.clock(5 * MILLI);
        assertThat(timestamps.roundTripNanos(5 * MILLI + 1000, sent)).isEqualTo(MILLI);
        assertThat(timestamps.roundTripNanos(45 * MILLI, sent)).isEqualTo(40 * MILLI);
    }

    @Test
    void an_echo_from_the_future_or_of_nothing_is_no_sample() {
        timestamps.start(77);
        assertThat(timestamps.roundTripNanos(5 * MILLI, timestamps.clock(6 * MILLI))).isEqualTo(-1);
        assertThat(timestamps.roundTripNanos(5 * MILLI, 0)).isEqualTo(-1);
    }

    @Test
    void an_echo_may_have_taken_less_than_a_tick() {
        timestamps.start(77);
        int sent = timestamps.clock(5 * MILLI);
        assertThat(timestamps.echoNanos(5 * MILLI + 10, sent)).isZero();
        assertThat(timestamps.echoNanos(9 * MILLI, sent + 1)).isEqualTo(3 * MILLI);
    }
}
