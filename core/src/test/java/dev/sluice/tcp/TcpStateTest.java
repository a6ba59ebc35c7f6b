package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.StringJoiner;

class TcpStateTest {
    /** The table of RFC 9293 figure 5, as ARCHITECTURE.md prints it. */
    private static final String DRAWN =
            """
            LISTEN       -> SYN_SENT SYN_RECEIVED CLOSED
            SYN_SENT     -> SYN_RECEIVED ESTABLISHED CLOSED
            SYN_RECEIVED -> LISTEN ESTABLISHED FIN_WAIT_1 CLOSE_WAIT CLOSED
            ESTABLISHED  -> FIN_WAIT_1 CLOSE_WAIT CLOSED
            FIN_WAIT_1   -> FIN_WAIT_2 CLOSING TIME_WAIT CLOSED
            FIN_WAIT_2   -> TIME_WAIT CLOSED
            CLOSE_WAIT   -> LAST_ACK CLOSED
            CLOSING      -> TIME_WAIT CLOSED
            LAST_ACK     -> CLOSED
            TIME_WAIT    -> CLOSED
            CLOSED       -> LISTEN SYN_SENT SYN_RECEIVED
            """;

    @Test
    void the_moves_are_those_that_are_drawn() {
        StringBuilder table = new StringBuilder();
        for (TcpState from : TcpState.values()) {
            StringJoiner moves = new StringJoiner(" ");
            for (TcpState to : TcpState.values()) {
                if (from.mayBecome(to)) {
                    moves.add(to.name());
                }
            }
            table.append("%-12s -> %s%n".formatted(from, moves));
        }

        assertThat(table.toString()).isEqualToNormalizingNewlines(DRAWN);
    }

    @Test
    void data_may_be_sent_until_the_application_closes_and_received_until_the_peer_does() {
        assertThat(TcpState.values())
                .filteredOn(TcpState::canSend)
                .containsExactly(TcpState.ESTABLISHED, TcpState.CLOSE_WAIT);
        assertThat(TcpState.values())
                .filteredOn(TcpState::canReceive)
                .containsExactly(TcpState.ESTABLISHED, TcpState.FIN_WAIT_1, TcpState.FIN_WAIT_2);
    }
}
