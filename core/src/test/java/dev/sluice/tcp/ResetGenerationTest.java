package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.ipv6;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

/** Segments for nobody (RFC 9293 section 3.10.7.1). */
@ExchangeTest
class ResetGenerationTest {
    private static TcpTest nobody(Setup... setups) {
        return TcpTest.listen(setups).closeListener();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.1")
    void with_ack_the_reset_takes_its_number_from_it() {
        nobody().receive("< . 1:1(0) ack 77").expect("> R 77:77(0) win 0");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.1")
    void without_ack_the_reset_acknowledges_all_of_the_segment() {
        nobody().receive("< S 100:100(0)").expect("> R. 0:0(0) ack 101 win 0");
        nobody().receive("< P 100:150(50)").expect("> R. 0:0(0) ack 150");
        nobody().receive("< SF 100:150(50)").expect("> R. 0:0(0) ack 152");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.1")
    void a_reset_is_never_answered() {
        nobody().receive("< R 1:1(0) win 0").expectNothing();
        nobody().receive("< R. 1:1(0) ack 1 win 0").expectNothing();
        nobody().receive("< SR 1:1(0) win 0").expectNothing();
    }

    @Test
    void ipv6_has_the_same_rules() {
        nobody(ipv6()).receive("< . 1:1(0) ack 77").expect("> R 77:77(0)");
        nobody(ipv6()).receive("< S 100:100(0)").expect("> R. 0:0(0) ack 101");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.2")
    void a_listener_resets_an_ack_and_ignores_a_reset() {
        var tcp = TcpTest.listen();

        tcp.receive("< . 1:1(0) ack 55").expect("> R 55:55(0)");
        tcp.receive("< R 1:1(0) win 0").expectNothing();
        tcp.receive("< F 1:1(0)").expectNothing();
        tcp.hasCounted(Counter.TCP_OUT_RSTS, 1);
    }

    @Test
    void an_unknown_port_is_refused_while_another_listens() {
        var tcp = TcpTest.listen();

        tcp.receive("< 40000 > 9999 S 0:0(0)").expect("> 9999 > 40000 R. 0:0(0) ack 1");
    }
}
