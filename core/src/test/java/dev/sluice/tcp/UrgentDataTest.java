package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;

import org.junit.jupiter.api.Test;

/** Sending urgent data (RFC 9293 section 3.8.5, RFC 6093). */
@ExchangeTest
class UrgentDataTest {
    private static TcpTest established() {
        return TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(40));
    }

    @Test
    @Rfc("RFC 9293 section 3.8.5")
    void the_pointer_names_the_byte_after_the_urgent_one() {
        var tcp = established();

        tcp.writeUrgent().expect("> PU. 1:2(1) ack 1 urg 1");
    }

    @Test
    void an_urgent_byte_does_not_wait_for_nagle() {
        var tcp = established();

        tcp.write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(5).write(50).expectNothing();
        tcp.at(10).writeUrgent().expect("> PU. 101:152(51) ack 1 urg 51");
    }

    @Test
    void what_is_written_afterwards_is_not_urgent() {
        var tcp = established();

        tcp.writeUrgent().expect("> PU. 1:2(1) ack 1 urg 1");
        tcp.at(30).receive("< . 1:1(0) ack 2").at(40).write(10).expect("> P. 2:12(10) ack 1");
    }
}
