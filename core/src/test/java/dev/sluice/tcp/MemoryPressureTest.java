package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

/** The memory that all connections share runs out (B-7.12, B-8.3). */
@ExchangeTest
class MemoryPressureTest {
    private static TcpTest established(String memPages, Setup... more) {
        Setup[] setups = new Setup[more.length + 3];
        setups[0] = window(60_000);
        setups[1] = rttMillis(40);
        setups[2] = sysctl("net.ipv4.tcp_mem", memPages);
        System.arraycopy(more, 0, setups, 3, more.length);
        return TcpTest.established("mss 1000,sackOK,wscale 0", setups);
    }

    @Test
    void whenever_it_is_writable_a_byte_is_taken() {
        for (String pages : new String[] {"1 2 3", "2 4 8", "4 8 16", "8 12 16"}) {
            var tcp = established(pages);
            int acked = 1;
            for (int round = 0; round < 200; round++) {
                while ((tcp.readySet() & Readiness.OUT) != 0) {
                    assertThat(tcp.tryWrite(1 + round * 37 % 1500)).isPositive();
                }
                int next = acked;
                for (var sent : tcp.take()) {
                    next = (int) Math.max(next, sent.segment().end());
                }
                tcp.takeEvents();
                acked = next;
                tcp.after(1).receive("< . 1:1(0) ack " + acked);
                if ((tcp.readySet() & Readiness.OUT) == 0 && tcp.take().isEmpty()) {
                    tcp.firstOutputOrNothing(250);
                }
            }
            assertThat(acked).isGreaterThan(5_000);
            tcp.discard();
        }
    }

    @Test
    void a_full_write_is_followed_by_a_signal_when_there_is_room_again() {
        var tcp = established("4 8 16");

        int taken = 0;
        for (int n = tcp.tryWrite(5000); n > 0; n = tcp.tryWrite(5000)) {
            taken += n;
        }
        tcp.discard().takeEvents();
        assertThat(tcp.readySet() & Readiness.OUT).isZero();
        int acked = 0;
        int events = 0;
        for (int i = 0; i < 200 && acked < taken; i++) {
            acked = Math.min(taken, acked + 1000);
            tcp.after(1).receive("< . 1:1(0) ack " + (acked + 1)).discard();
            events |= tcp.takeEvents();
        }
        assertThat(events & Readiness.OUT).isEqualTo(Readiness.OUT);
        assertThat(tcp.tryWrite(1)).isEqualTo(1);
        tcp.discard();
    }

    @Test
    void in_order_data_is_always_taken_into_an_empty_queue() {
        var tcp = established("1 2 3");

        for (int i = 0; i < 20; i++) {
            int start = 1 + 100 * i;
            tcp.after(50).receive("< P. %d:%d(100) ack 1".formatted(start, start + 100));
            tcp.firstOutputOrNothing(45).discard();
            tcp.read(100);
        }
    }

    @Test
    void data_that_finds_no_memory_is_dropped_counted_and_acknowledged() {
        var tcp = established("1 2 3", sysctl("net.ipv4.tcp_rmem", "2304 131072 6291456"));

        int next = 1;
        long dropped = 0;
        for (int i = 0; i < 40 && dropped == 0; i++) {
            tcp.after(50).receive("< . %d:%d(1000) ack 1".formatted(next, next + 1000));
            tcp.firstOutputOrNothing(45).discard();
            next += 1000;
            dropped =
                    tcp.counted(Counter.TCP_RCV_Q_DROP)
                            + tcp.counted(Counter.RCV_PRUNED)
                            + tcp.counted(Counter.TCP_ZERO_WINDOW_DROP);
        }
        assertThat(dropped).isPositive();
        int unread = tcp.connection().unread();
        assertThat(unread).isBetween(1000, 39_000);
        tcp.read(unread).readFails(SocketError.EAGAIN).discard();
    }

    @Test
    void out_of_order_data_is_thrown_away_for_data_in_order() {
        var tcp = established("1 2 3", sysctl("net.ipv4.tcp_rmem", "2304 131072 6291456"));

        for (int i = 30; i > 1; i--) {
            int start = 1 + 1000 * i;
            tcp.after(5).receive("< . %d:%d(1000) ack 1".formatted(start, start + 1000)).discard();
            tcp.firstOutputOrNothing(2).discard();
        }
        tcp.after(50).receive("< P. 1:1001(1000) ack 1").firstOutputOrNothing(45).discard();
        tcp.read(1000);
    }
}
