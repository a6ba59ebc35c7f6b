package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class TimeWaitTest {
    /** In TIME_WAIT at 40 ms. */
    private static TcpTest waiting(Setup more) {
        var tcp = TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(30), more);
        tcp.at(10).close().expect("> F. 1:1(0) ack 1");
        return tcp.at(40).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
    }

    private static TcpTest waiting() {
        return waiting(rttMillis(30));
    }

    @Test
    void a_connection_becomes_a_row() {
        var tcp = waiting();

        assertThat(tcp.stack().endpoints()).isZero();
        assertThat(tcp.stack().tcp().timeWait().count()).isEqualTo(1);
    }

    @Test
    @Rfc("RFC 9293 MUST-13")
    void it_lasts_a_minute() {
        var tcp = waiting();

        tcp.at(59_900).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
        tcp.at(125_000).receive("< F. 1:1(0) ack 2").expect("> R 2:2(0)");
        assertThat(tcp.stack().tcp().timeWait().count()).isZero();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void every_copy_of_the_fin_is_acknowledged() {
        var tcp = waiting();

        tcp.at(90).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
        tcp.at(140).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
    }

    @Test
    void the_expected_plain_ack_is_swallowed() {
        var tcp = waiting();

        tcp.at(140).receive("< . 2:2(0) ack 2").expectNothing();
    }

    @Test
    void old_data_is_answered_with_the_current_numbers() {
        var tcp = waiting();

        tcp.at(640).receive("< P. 1:2(1) ack 2").expect("> . 2:2(0) ack 2");
    }

    @Test
    void answers_to_old_empty_segments_are_limited() {
        var tcp = waiting();

        tcp.at(640).receive("< . 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
        tcp.at(740).receive("< . 1:1(0) ack 2").expectNothing();
        tcp.at(1340).receive("< . 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void a_syn_above_the_old_numbers_opens_a_new_connection() {
        var tcp = waiting();

        tcp.at(540)
                .receive("< S 90000:90000(0) win 9000 <mss 1000>")
                .expect("> S. 65539:65539(0) ack 90001 <mss 1460>");
        tcp.at(570).receive("< . 90001:90001(0) ack 65540 win 9000").expectNothing().accept();
        tcp.hasState(TcpState.ESTABLISHED);
        assertThat(tcp.stack().tcp().timeWait().count()).isZero();
    }

    @Test
    void a_syn_below_them_is_answered_by_the_ack_of_time_wait() {
        var tcp = waiting();

        tcp.at(640).receive("< S 0:0(0) win 9000 <mss 1000>").expect("> . 2:2(0) ack 2");
    }

    @Test
    void a_reset_ends_it() {
        var tcp = waiting();

        tcp.at(140).receive("< R. 2:2(0) ack 2 win 0").expectNothing();
        tcp.at(240).receive("< F. 1:1(0) ack 2").expect("> R 2:2(0)");
    }

    @Test
    @Rfc("RFC 1337")
    void with_rfc1337_a_reset_is_ignored() {
        var tcp = waiting(sysctl("net.ipv4.tcp_rfc1337", 1));

        tcp.at(140).receive("< R. 2:2(0) ack 2 win 0").expectNothing();
        tcp.at(740).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
    }

    @Test
    void the_number_of_rows_is_limited() {
        var tcp = waiting(sysctl("net.ipv4.tcp_max_tw_buckets", 0));

        assertThat(tcp.stack().tcp().timeWait().count()).isZero();
        tcp.hasCounted(Counter.TCP_TIME_WAIT_OVERFLOW, 1);
    }
}
