package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

/** What limits a sender, timeouts in sum, and a device that takes nothing (B-14.2, B-4.14). */
@ExchangeTest
class BusyTimeTest {
    private static final long MILLI = 1_000_000L;

    private static TcpTest established() {
        return TcpTest.established(
                "mss 1000,sackOK,wscale 0",
                window(60_000),
                rttMillis(30),
                sysctl("net.ipv4.tcp_early_retrans", 0));
    }

    @Test
    void of_two_limits_the_higher_counts_and_both_are_busy() {
        var time = new BusyTime();
        time.start(10 * MILLI, BusyTime.BUSY);
        time.start(20 * MILLI, BusyTime.SEND_BUFFER);
        time.start(25 * MILLI, BusyTime.RECEIVE_WINDOW);
        time.stop(27 * MILLI, BusyTime.RECEIVE_WINDOW);
        time.stop(40 * MILLI, BusyTime.SEND_BUFFER);
        time.start(45 * MILLI, BusyTime.RECEIVE_WINDOW);
        time.idle(48 * MILLI);

        var info = new TcpInfo();
        time.info(90 * MILLI, info);
        assertThat(info.busyTime).isEqualTo(38_000);
        assertThat(info.sndbufLimited).isEqualTo(20_000);
        assertThat(info.rwndLimited).isEqualTo(3_000);
    }

    @Test
    void a_run_of_timeouts_is_one_recovery() {
        var tcp = established();
        tcp.write(100).discard();
        tcp.skip(900);
        tcp.info().has("total_rto", 2).has("total_rto_recoveries", 1).has("total_rto_time", 0);
        tcp.at(940).receive("< . 1:1(0) ack 101").expectNothing();
        tcp.info().has("total_rto", 2).has("total_rto_time", 710).has("busy_time", 940_000);
    }

    @Test
    void a_device_that_refuses_is_congestion_and_no_loss() {
        var tcp = established();
        var queue = tcp.connection().connection().route.queue();
        tcp.write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(30).receive("< . 1:1(0) ack 101").expectNothing();
        queue.limit(0);
        tcp.at(40).write(100).expectNothing();
        tcp.info().has("unacked", 0).has("total_retrans", 0).has("ca_state", 2);
        queue.limit(100);
        tcp.firstOutputBetween(200, 800).expect("> P. 101:201(100) ack 1");
        tcp.hasCounted(Counter.TCP_RETRANS_FAIL, 0);
    }

    @Test
    void short_segments_go_again_in_one() {
        var tcp = established();
        tcp.set(dev.sluice.socket.SocketOption.TCP_NODELAY, 1);
        tcp.write(100).discard().write(200).discard().write(300).discard();
        tcp.firstOutputBetween(200, 300).expect("> P. 1:601(600) ack 1");
        tcp.info().has("unacked", 1).has("total_retrans", 1);
        tcp.after(20).receive("< . 1:1(0) ack 601").expectNothing();
    }
}
