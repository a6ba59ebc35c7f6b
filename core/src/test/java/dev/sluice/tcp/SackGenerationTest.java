package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketOption;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class SackGenerationTest {
    private static TcpTest established(Setup... more) {
        Setup[] setups = new Setup[more.length + 2];
        setups[0] = window(60_000);
        setups[1] = rttMillis(40);
        System.arraycopy(more, 0, setups, 2, more.length);
        return TcpTest.established("mss 1000,sackOK,wscale 0", setups);
    }

    @Test
    @Rfc("RFC 2018 section 4")
    void one_hole_is_reported_until_it_closes() {
        var tcp = established();

        tcp.at(10)
                .receive("< . 1001:2001(1000) ack 1")
                .expect("> . 1:1(0) ack 1 <nop,nop,sack 1001:2001>");
        tcp.at(20)
                .receive("< . 2001:2501(500) ack 1")
                .expect("> . 1:1(0) ack 1 <nop,nop,sack 1001:2501>");
        tcp.readFails(SocketError.EAGAIN);
        tcp.at(30).receive("< . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 2501").read(2500);
    }

    @Test
    @Rfc("RFC 2018 section 4")
    void the_block_that_changed_last_comes_first_and_blocks_merge() {
        var tcp = established();

        tcp.at(10)
                .receive("< . 1001:2001(1000) ack 1")
                .expect("> . 1:1(0) ack 1 <nop,nop,sack 1001:2001>");
        tcp.at(20)
                .receive("< . 3001:4001(1000) ack 1")
                .expect("> . 1:1(0) ack 1 <nop,nop,sack 3001:4001 1001:2001>");
        tcp.at(30)
                .receive("< . 6001:7001(1000) ack 1")
                .expect("> . 1:1(0) ack 1 <nop,nop,sack 6001:7001 3001:4001 1001:2001>");
        tcp.at(40)
                .receive("< . 2001:3001(1000) ack 1")
                .firstOutputOrNothing(2)
                .expect("> . 1:1(0) ack 1 <nop,nop,sack 1001:4001 6001:7001>");
    }

    @Test
    @Rfc("RFC 2018 section 3")
    void four_blocks_are_the_most() {
        var tcp = established();

        for (int i = 1; i <= 4; i++) {
            int start = 2000 * i + 1;
            tcp.at(10 * i)
                    .receive("< . %d:%d(1000) ack 1".formatted(start, start + 1000))
                    .firstOutputOrNothing(2)
                    .discard();
        }
        tcp.at(50)
                .receive("< . 10001:11001(1000) ack 1")
                .firstOutputOrNothing(2)
                .expect(
                        "> . 1:1(0) ack 1 <nop,nop,"
                                + "sack 10001:11001 8001:9001 6001:7001 4001:5001>");
    }

    @Test
    @Rfc("RFC 2883 section 4.1")
    void old_data_again_is_reported_below_the_ack() {
        var tcp = established();

        tcp.at(10).receive("< . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 1001");
        tcp.at(20)
                .receive("< . 1:1001(1000) ack 1")
                .expect("> . 1:1(0) ack 1001 <nop,nop,sack 1:1001>");
        tcp.at(30).receive("< . 1001:2001(1000) ack 1").expect("> . 1:1(0) ack 2001").read(2000);
        tcp.hasCounted(Counter.TCP_DSACK_OLD_SENT, 1);
    }

    @Test
    @Rfc("RFC 2883 section 4.2.1")
    void the_old_half_of_a_segment_is_reported_and_the_new_one_taken() {
        var tcp = established();

        tcp.at(10).receive("< . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 1001");
        tcp.at(20)
                .receive("< . 501:1501(1000) ack 1")
                .expect("> . 1:1(0) ack 1501 <nop,nop,sack 501:1001>")
                .read(1500);
    }

    @Test
    @Rfc("RFC 2883 section 4.1.3")
    void a_duplicate_above_the_hole_is_reported_with_the_block_around_it() {
        var tcp = established();

        tcp.at(10)
                .receive("< . 1001:3001(2000) ack 1")
                .expect("> . 1:1(0) ack 1 <nop,nop,sack 1001:3001>");
        tcp.at(20)
                .receive("< . 1001:2001(1000) ack 1")
                .expect("> . 1:1(0) ack 1 <nop,nop,sack 1001:2001 1001:3001>");
        tcp.at(30).receive("< . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 3001").read(3000);
    }

    @Test
    @Rfc("RFC 2883 section 4.1.2")
    void old_data_while_a_hole_is_open_comes_before_the_open_block() {
        var tcp = established();

        tcp.at(10).receive("< . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 1001");
        tcp.at(20)
                .receive("< . 2001:3001(1000) ack 1")
                .expect("> . 1:1(0) ack 1001 <nop,nop,sack 2001:3001>");
        tcp.at(30)
                .receive("< . 1:1001(1000) ack 1")
                .expect("> . 1:1(0) ack 1001 <nop,nop,sack 1:1001 2001:3001>");
    }

    @Test
    void duplicates_are_not_reported_where_it_is_switched_off() {
        var tcp = established(sysctl("net.ipv4.tcp_dsack", 0));

        tcp.at(10).receive("< . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 1001");
        tcp.at(20).receive("< . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 1001");
        if (!tcp.everythingSent().getLast().segment().options().isEmpty()) {
            throw tcp.failure("no options were expected");
        }
    }

    @Test
    void after_three_acks_for_a_hole_the_next_ones_are_merged() {
        var tcp = established();

        tcp.set(SocketOption.TCP_QUICKACK, 0);
        tcp.at(10).receive("< . 1001:2001(1000) ack 1").expect("> . 1:1(0) ack 1");
        tcp.receive("< . 2001:3001(1000) ack 1").expect("> . 1:1(0) ack 1 <sack 1001:3001>");
        tcp.receive("< . 3001:4001(1000) ack 1").expect("> . 1:1(0) ack 1 <sack 1001:4001>");
        tcp.receive("< . 4001:5001(1000) ack 1").receive("< . 5001:6001(1000) ack 1");
        tcp.receive("< . 6001:7001(1000) ack 1").expectNothing();
        tcp.firstOutputBetween(10, 11.1).expect("> . 1:1(0) ack 1 <nop,nop,sack 1001:7001>");
        tcp.hasCounted(Counter.TCP_ACK_COMPRESSED, 2);
    }

    @Test
    @Rfc("RFC 2018 section 4")
    void our_data_carries_the_blocks_too_and_is_smaller_for_it() {
        var tcp = established();

        tcp.at(10).receive("< . 1001:2001(1000) ack 1").expect("> . 1:1(0) ack 1");
        tcp.at(20)
                .write(1000)
                .expect(
                        "> . 1:989(988) ack 1 <nop,nop,sack 1001:2001>",
                        "> P. 989:1001(12) ack 1 <nop,nop,sack 1001:2001>");
    }

    @Test
    @Rfc("RFC 2018 section 4")
    void a_fin_above_a_hole_is_part_of_its_block() {
        var tcp = established();

        tcp.at(10)
                .receive("< F. 501:1001(500) ack 1")
                .expect("> . 1:1(0) ack 1 <nop,nop,sack 501:1002>")
                .readFails(SocketError.EAGAIN);
        tcp.at(20).receive("< . 1:501(500) ack 1").expect("> . 1:1(0) ack 1002");
        tcp.read(1000).readEnds().hasState(TcpState.CLOSE_WAIT);
    }

    @Test
    @Rfc("RFC 2018 section 2")
    void nothing_is_reported_to_a_peer_that_did_not_agree() {
        var tcp = TcpTest.established("mss 1000", window(60_000));

        tcp.at(10).receive("< . 1001:2001(1000) ack 1").expect("> . 1:1(0) ack 1");
        if (!tcp.everythingSent().getLast().segment().options().isEmpty()) {
            throw tcp.failure("no options were expected");
        }
    }
}
