package dev.sluice.tcp.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Rfc9937RecoveryRateTest {
    private final RecoveryRate rate = new Rfc9937RecoveryRate();

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "'above ssthresh, rounding up', 15, 10, 20, 3, 1, 1, false, 1",
        "'above ssthresh, nothing due', 15, 10, 20, 4, 2, 1, true, 0",
        "'above ssthresh, first ACK', 30, 4, 20, 1, 0, 1, false, 1",
        "'below, as much as delivered', 4, 10, 20, 8, 6, 2, false, 2",
        "'below, catching up', 4, 10, 20, 9, 4, 1, false, 5",
        "'below, one more if safe', 4, 10, 20, 8, 6, 2, true, 3",
        "'below, never beyond ssthresh', 9, 10, 20, 9, 4, 4, true, 1",
        "'at ssthresh, first ACK', 10, 10, 20, 1, 0, 1, true, 1",
        "'at ssthresh, later', 10, 10, 20, 5, 5, 1, true, 0",
    })
    void segments_for_one_ack(
            String what,
            int inFlight,
            int ssthresh,
            int priorCwnd,
            int prrDelivered,
            int prrOut,
            int delivered,
            boolean safeAck,
            int expected) {
        assertThat(
                        rate.segments(
                                inFlight,
                                ssthresh,
                                priorCwnd,
                                prrDelivered,
                                prrOut,
                                delivered,
                                safeAck))
                .as(what)
                .isEqualTo(expected);
    }
}
