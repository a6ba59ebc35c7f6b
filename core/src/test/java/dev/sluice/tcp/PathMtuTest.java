package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.ipv6;
import static dev.sluice.testkit.Setup.mtu;
import static dev.sluice.testkit.Setup.option;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketOption;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class PathMtuTest {
    private static final int UNREACHABLE = 3;
    private static final int TOO_BIG = 4;

    private static TcpTest sending() {
        var tcp = TcpTest.established("mss 1460,sackOK,wscale 0", window(60_000), rttMillis(30));
        return tcp.at(10).write(1460).expect("> P. 1:1461(1460) ack 1").at(20);
    }

    @Test
    @Rfc({"RFC 1191 section 6", "RFC 9293 SHLD-24"})
    void too_large_segments_go_again_in_smaller_ones_and_the_window_stays() {
        var tcp = sending();

        tcp.receiveIcmp(UNREACHABLE, TOO_BIG, 1000, "> P. 1:1461(1460) ack 1");
        tcp.expect("> . 1:961(960) ack 1", "> P. 961:1461(500) ack 1");
        tcp.info().has("snd_mss", 960).hasCwnd(10).has("pmtu", 1000);
        tcp.at(60).receive("< . 1:1(0) ack 1461").expectNothing();
        tcp.write(2000)
                .expect(
                        "> . 1461:2421(960) ack 1",
                        "> . 2421:3381(960) ack 1",
                        "> P. 3381:3461(80) ack 1");
    }

    @Test
    @Rfc("RFC 1191 section 3")
    void nothing_goes_below_the_floor() {
        var tcp = sending();

        tcp.receiveIcmp(UNREACHABLE, TOO_BIG, 300, "> P. 1:1461(1460) ack 1");
        tcp.expect("> . 1:513(512) ack 1", "> . 513:1025(512) ack 1", "> P. 1025:1461(436) ack 1");
        tcp.info().has("pmtu", 552);
    }

    @Test
    @Rfc("RFC 1191 section 3")
    void a_larger_mtu_changes_nothing() {
        var tcp = sending();

        tcp.receiveIcmp(UNREACHABLE, TOO_BIG, 1600, "> P. 1:1461(1460) ack 1").expectNothing();
        tcp.info().has("snd_mss", 1460).has("total_retrans", 0);
    }

    @Test
    @Rfc("RFC 5927 section 4.1")
    void a_quote_that_is_not_in_flight_is_not_believed() {
        var tcp = sending();

        tcp.receiveIcmp(UNREACHABLE, TOO_BIG, 1000, "> P. 9001:10461(1460) ack 1").expectNothing();
        tcp.info().has("snd_mss", 1460).has("pmtu", 1500);
        tcp.hasCounted(Counter.OUT_OF_WINDOW_ICMPS, 1);
    }

    @Test
    void with_discovery_off_the_message_is_ignored() {
        var tcp =
                TcpTest.established(
                        "mss 1460,sackOK",
                        window(60_000),
                        rttMillis(30),
                        option(SocketOption.IP_MTU_DISCOVER, 0));

        tcp.write(1460).expect("> P. 1:1461(1460) ack 1");
        tcp.at(10).receiveIcmp(UNREACHABLE, TOO_BIG, 1000, "> P. 1:1461(1460) ack 1");
        tcp.expectNothing().info().has("snd_mss", 1460);
    }

    @Test
    @Rfc("RFC 8201 section 4")
    void ipv6_says_packet_too_big() {
        var tcp =
                TcpTest.established(
                        "mss 1440,sackOK,wscale 0", window(60_000), rttMillis(30), ipv6());

        tcp.at(10).write(1440).expect("> P. 1:1441(1440) ack 1");
        tcp.at(20).receiveIcmp(2, 0, 1300, "> P. 1:1441(1440) ack 1");
        tcp.expect("> . 1:1241(1240) ack 1", "> P. 1241:1441(200) ack 1");
        tcp.info().has("pmtu", 1300);
    }

    @Test
    @Rfc("RFC 9293 MUST-14")
    void a_small_interface_is_announced() {
        TcpTest.listen(mtu(600))
                .receive("< S 0:0(0) <mss 1460>")
                .expect("> S. 0:0(0) ack 1 <mss 560>");
        TcpTest.connect(mtu(1400))
                .expect("> S 0:0(0) <mss 1360,sackOK,TS val 0 ecr 0,nop,wscale 10>");
    }

    @Test
    @Rfc("RFC 9293 MUST-16")
    void the_smaller_of_our_mtu_and_the_peers_mss_bounds_segments() {
        var tcp = TcpTest.established("mss 1460", mtu(600), window(60_000));

        tcp.write(600).expect("> . 1:561(560) ack 1", "> P. 561:601(40) ack 1");
    }
}
