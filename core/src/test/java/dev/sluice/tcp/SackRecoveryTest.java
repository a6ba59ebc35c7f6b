package dev.sluice.tcp;

import static dev.sluice.tcp.congestion.CongestionState.RECOVERY;
import static dev.sluice.testkit.Setup.cwnd;
import static dev.sluice.testkit.Setup.rttMillis;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;

import org.junit.jupiter.api.Test;

@ExchangeTest
class SackRecoveryTest {
    @Test
    @Rfc("RFC 6675 section 5")
    void third_duplicate_ack_resends_the_first_hole() {
        var tcp = TcpTest.established("mss 1000, sackOK", cwnd(10), rttMillis(20));

        tcp.write(4000)
                .expect(
                        "> . 1:1001(1000) ack 1",
                        "> . 1001:2001(1000) ack 1",
                        "> . 2001:3001(1000) ack 1",
                        "> P. 3001:4001(1000) ack 1");

        tcp.at(20)
                .receive("< . 1:1(0) ack 1 win 5000 <sack 1001:2001>")
                .expectNothing()
                .at(21)
                .receive("< . 1:1(0) ack 1 win 5000 <sack 1001:3001>")
                .expectNothing()
                .at(22)
                .receive("< . 1:1(0) ack 1 win 5000 <sack 1001:4001>")
                .expect("> . 1:1001(1000) ack 1");

        tcp.info().hasCaState(RECOVERY).hasRetransmits(1);
    }
}
