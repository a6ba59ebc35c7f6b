package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.option;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketOption;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;

import org.junit.jupiter.api.Test;

@ExchangeTest
class WindowScaleTest {
    @Test
    @Rfc("RFC 7323 section 2.2")
    void windows_of_syns_are_not_scaled() {
        var tcp = TcpTest.connect(sysctl("net.ipv4.tcp_rmem", "4096 131072 6291456"));

        tcp.expect("> S 0:0(0) win 64240 <mss 1460,sackOK,TS val 0 ecr 0,nop,wscale 7>");
        tcp.at(30).receive("< S. 0:0(0) ack 1 win 9000 <mss 1100,wscale 2>");
        tcp.expect("> . 1:1(0) ack 1 win 502").info().has("snd_wnd", 9000);
        tcp.at(40).receive("< . 1:1(0) ack 1 win 9000").expectNothing();
        tcp.info().has("snd_wnd", 36_000);
    }

    @Test
    @Rfc("RFC 7323 section 2.2")
    void without_the_peers_option_ours_is_not_used() {
        var tcp = TcpTest.connect(sysctl("net.ipv4.tcp_timestamps", 0));

        tcp.discard().at(40).receive("< S. 0:0(0) ack 1 win 40000 <mss 1000,sackOK>");
        tcp.expect("> . 1:1(0) ack 1 win 64240");
        tcp.at(50)
                .receive("< P. 1:201(200) ack 1 win 40000")
                .expect("> . 1:1(0) ack 201 win 64040");
        tcp.info().has("rcv_wscale", 0).has("snd_wscale", 0);
    }

    @Test
    @Rfc("RFC 7323 section 2.3")
    void the_scaled_window_bounds_what_is_sent() {
        var tcp = TcpTest.established("mss 1000,wscale 4", window(126), rttMillis(40));

        tcp.info().has("snd_wnd", 2016);
        tcp.write(3000).expect("> P. 1:2001(2000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2001").expect("> P. 2001:3001(1000) ack 1");
    }

    @Test
    void the_scale_follows_the_largest_buffer() {
        TcpTest.listen(sysctl("net.ipv4.tcp_rmem", "4096 131072 6291456"))
                .receive("< S 0:0(0) <mss 1000,wscale 0>")
                .expect("> S. 0:0(0) ack 1 <mss 1460,nop,wscale 7>");
        TcpTest.listen(sysctl("net.ipv4.tcp_rmem", "4096 131072 33554432"))
                .receive("< S 0:0(0) <mss 1000,wscale 0>")
                .expect("> S. 0:0(0) ack 1 <mss 1460,nop,wscale 10>");
    }

    @Test
    void a_small_buffer_is_offered_in_whole_segments() {
        TcpTest.listen(option(SocketOption.SO_RCVBUF, 6000))
                .receive("< S 0:0(0) win 9000 <mss 1460>")
                .expect("> S. 0:0(0) ack 1 win 5840 <mss 1460>");
    }

    @Test
    void a_reader_that_keeps_up_is_offered_more() {
        var tcp =
                TcpTest.established(
                        "mss 1460,wscale 0",
                        window(60_000),
                        rttMillis(30),
                        sysctl("net.ipv4.tcp_rmem", "4096 131072 6291456"));

        long before = tcp.info().value("rcv_wnd");
        tcp.at(10).receive("< . 1:1461(1460) ack 1").discard().read(1460);
        tcp.at(20).receive("< . 1461:2921(1460) ack 1").discard().read(1460);
        if (tcp.info().value("rcv_wnd") <= before) {
            throw tcp.failure("the window did not grow");
        }
    }
}
