package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

/**
 * Scripts that pass, spoiled in one place each: the runner must notice every one, at the right line
 * and for the right reason.
 */
class MutatedScriptsTest {
    private static final String SERVER =
            """
            `sysctl -q net.ipv4.tcp_rmem="4096 131072 6291456"`
            0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
            +0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
            +0 bind(3, ..., ...) = 0
            +0 listen(3, 1) = 0
            +0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>
            +0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 7>
            +.1 < . 1:1(0) ack 1 win 257
            +0 accept(3, ..., ...) = 4
            +0 %{ assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd; assert tcpi_snd_mss == 1000 }%
            +0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0
            +0 read(4, ..., 100) = -1 EAGAIN (Resource temporarily unavailable)
            +.1 < P. 1:101(100) ack 1 win 257
            +0 > . 1:1(0) ack 101
            +0 ioctl(4, SIOCINQ, [100]) = 0
            +0 poll([{fd=4, events=POLLIN|POLLOUT, revents=POLLIN|POLLOUT}], 1, 0) = 1
            +0 read(4, ..., 1000) = 100
            +0 write(4, ..., 3000) = 3000
            +0 > P. 1:3001(3000) ack 101
            +.05 < . 101:101(0) ack 3001 win 257
            +0 write(4, ..., 1000) = 1000
            +0 > P. 3001:4001(1000) ack 101
            +.05 < . 101:101(0) ack 4001 win 257
            +0 getsockopt(4, SOL_TCP, TCP_MAXSEG, [1000], [4]) = 0
            +0 %{ assert tcpi_unacked == 0, tcpi_unacked }%
            +.1 shutdown(4, SHUT_WR) = 0
            +0 > F. 4001:4001(0) ack 101
            +.1 < F. 101:101(0) ack 4002 win 257
            +0 > . 4002:4002(0) ack 102
            +0 read(4, ..., 1000) = 0
            +0 close(4) = 0
            """;

    private static final String CLIENT =
            """
            `sysctl -q net.ipv4.tcp_syn_retries=2`
            0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
            +0...1.1 connect(3, ..., ...) = 0
            +0 > S 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 10>
            +1 > S 0:0(0) <mss 1460,sackOK,TS val 1100 ecr 0,nop,wscale 10>
            +.1 < S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,TS val 700 ecr 1100,nop,wscale 7>
            +0 > . 1:1(0) ack 1 <nop,nop,TS val 1200 ecr 700>
            +0 getsockopt(3, SOL_SOCKET, SO_ERROR, [0], [4]) = 0
            +0 send(3, ..., 10, MSG_MORE) = 10
            +0 send(3, ..., 10, 0) = 10
            +0 > P. 1:21(20) ack 1 <nop,nop,TS val 1200 ecr 700>
            +.1 < R. 1:1(0) ack 21 win 0
            +0 read(3, ..., 10) = -1 ECONNRESET (Connection reset by peer)
            +0 write(3, ..., 10) = -1 EPIPE (Broken pipe)
            +0 close(3) = 0
            """;

    private static final Packetdrill PACKETDRILL = new Packetdrill(Packetdrill.Settings.DEFAULT);

    @Test
    void both_scripts_pass_as_they_are() {
        assertThat(PACKETDRILL.run("server.pkt", SERVER).headline()).isEmpty();
        assertThat(PACKETDRILL.run("client.pkt", CLIENT).headline()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\0',
            textBlock =
                    """
                    server;7;S. 0:0;P. 0:0;flags: expected P., got S.
                    server;7;S. 0:0(0);S. 5:5(0);TOLERATED
                    server;7;ack 1;ack 2;ack: expected 2, got 1
                    server;7;mss 1460;mss 1400;options: expected <mss 1400,nop
                    server;7;sackOK,nop,wscale 7;nop,sackOK,wscale 7;options: expected <mss 1460,nop,nop,nop
                    server;7;wscale 7;wscale 8;options: expected
                    server;7;<mss 1460,nop,nop,sackOK,nop,wscale 7>;;options: expected none, got <mss 1460
                    server;7;+0;+.02;packet out of time: expected at 0.020000 s, happened at 0.000000 s
                    server;9;= 4;= -1 EAGAIN;accept: expected -1 EAGAIN, got 4
                    server;10;tcpi_snd_cwnd == 10;tcpi_snd_cwnd == 11;assertion failed: tcpi_snd_cwnd == 11 with tcpi_snd_cwnd=10
                    server;10;tcpi_snd_mss == 1000;tcpi_snd_mss == 1460;assertion failed: tcpi_snd_mss == 1460
                    server;12;EAGAIN;ENOTCONN;read: expected -1 ENOTCONN, got -1 EAGAIN
                    server;12;-1 EAGAIN;0;read: expected 0, got -1 EAGAIN
                    server;14;. 1:1;F. 1:1;flags: expected F., got .
                    server;14;1:1(0);2:2(0);sequence number: expected 2, got 1
                    server;14;1:1(0);1:2(1);length: expected 1, got 0
                    server;14;ack 101;ack 100;ack: expected 100, got 101
                    server;14;ack 101;ack 101 win 1;window: expected 1, got
                    server;14;ack 101;ack 101 urg 7;urgent pointer: expected 7, got 0
                    server;14;ack 101;ack 101 <nop,nop,nop,nop>;options: expected <nop,nop,nop,nop>, got none
                    server;14;> .;> [ect0] .;ECN: expected ect0, got noecn
                    server;14;> .;> (ttl 13) .;hop limit: expected 13, got 64
                    server;14;> .;> (tos 0x20) .;traffic class: expected 0x20, got 0x0
                    server;14;+0;+.006;packet out of time
                    server;14;+0;+.006~+.01;packet out of time
                    server;15;[100];[99];SIOCINQ: expected [99], got [100]
                    server;16;revents=POLLIN|POLLOUT;revents=POLLIN;revents: expected POLLIN, got 0x5
                    server;16;= 1;= 0;poll: expected 0, got 1
                    server;17;= 100;= 101;read: expected 101, got 100
                    server;18;= 3000;= 2999;write: expected 2999, got 3000
                    server;18;write(4, ..., 3000) = 3000;write(4, ..., 2400) = 2400;LINE 19 length: expected 3000, got
                    server;19;P. 1:3001;. 1:3001;flags: expected ., got P.
                    server;19;1:3001(3000);1:2901(2900);length: expected 2900, got
                    server;19;P. 1:3001(3000);P. 0:3000(3000);sequence number: expected 0, got 1
                    server;22;1000) ack 101;1000) ack 9;ack: expected 9, got 101
                    server;22;3001:4001(1000);3001:4002(1001);length: expected 1001, got
                    server;24;[1000];[1001];TCP_MAXSEG: expected [1001], got [1000]
                    server;25;tcpi_unacked == 0;tcpi_unacked == 1;assertion failed: tcpi_unacked == 1 with tcpi_unacked=0
                    server;27;F. 4001:4001;. 4001:4001;flags: expected ., got F.
                    server;29;ack 102;ack 101;ack: expected 101, got 102
                    server;30;= 0;= 1;read: expected 1, got 0
                    client;3;0...1.1;0...1.4;return of connect: expected at 1.400000 s, happened at 1.100000 s
                    client;3;0...1.1;0...0.9;return of connect: expected at 0.900000 s, happened at 1.100000 s
                    client;3;= 0;= -1 ETIMEDOUT;connect: expected -1 ETIMEDOUT, got 0
                    client;4;S 0:0;SEW 0:0;flags: expected SEW, got S
                    client;5;+1;+.5;packet out of time: expected at 0.500000 s, happened at 1.000000 s
                    client;6;ecr 1100;ecr 1101;the stack sent no TS val 1101 to be echoed
                    client;8;[0];[ECONNREFUSED];SO_ERROR: expected [ECONNREFUSED], got [0]
                    client;9;MSG_MORE;0;LINE 11 packet out of time
                    client;11;P. 1:21;. 1:21;flags: expected ., got P.
                    client;13;ECONNRESET;EPIPE;read: expected -1 EPIPE, got -1 ECONNRESET
                    client;14;EPIPE;ECONNRESET;write: expected -1 ECONNRESET, got -1 EPIPE
                    client;15;close(3);close(5);close: expected 0, got -1 EBADF
                    """)
    void a_spoiled_line_is_noticed(
            String base, int line, String from, String to, String expectation) {
        String text = base.equals("server") ? SERVER : CLIENT;
        List<String> lines = new ArrayList<>(text.lines().toList());
        String original = lines.get(line - 1);
        assertThat(original).contains(from);
        int at = original.indexOf(from);
        String replacement = to == null ? "" : to;
        lines.set(
                line - 1,
                original.substring(0, at) + replacement + original.substring(at + from.length()));

        ScriptResult result = PACKETDRILL.run("t.pkt", String.join("\n", lines));

        if (expectation.equals("TOLERATED")) {
            assertThat(result.verdict()).isEqualTo(Verdict.PASSED);
            return;
        }
        int expectedLine = line;
        String message = expectation;
        if (expectation.startsWith("LINE ")) {
            expectedLine = Integer.parseInt(expectation.substring(5, 7));
            message = expectation.substring(8);
        }
        assertThat(result.verdict()).isEqualTo(Verdict.FAILED);
        assertThat(result.message()).contains(message);
        assertThat(result.position().orElseThrow().line()).isEqualTo(expectedLine);
    }

    @Test
    void a_packet_that_the_script_leaves_out_is_noticed_at_the_next_one() {
        ScriptResult result = PACKETDRILL.run("t.pkt", without(SERVER, 14));

        assertThat(result.verdict()).isEqualTo(Verdict.FAILED);
        assertThat(result.position().orElseThrow().line()).isEqualTo(18);
        assertThat(result.message()).contains("length: expected 3000, got 0");
    }

    @Test
    void a_packet_that_never_comes_is_noticed() {
        String text = SERVER.replace("+0 ioctl", "+0 > . 1:1(0) ack 101\n+0 ioctl");

        ScriptResult result = PACKETDRILL.run("t.pkt", text);

        assertThat(result.verdict()).isEqualTo(Verdict.FAILED);
        assertThat(result.position().orElseThrow().line()).isEqualTo(15);
        assertThat(result.message()).startsWith("no packet came until");
    }

    @Test
    void a_failure_shows_the_line_both_segments_and_the_last_events() {
        ScriptResult result =
                PACKETDRILL.run("t.pkt", SERVER.replace("1:1(0) ack 101\n", "1:1(0) ack 1\n"));

        assertThat(result.details())
                .startsWith("script: +0 > . 1:1(0) ack 1", "expected: > . 1:1(0) ack 1")
                .anyMatch(line -> line.startsWith("actual:   > . 1:1(0) ack 101 win "))
                .contains("last events:")
                .anyMatch(line -> line.contains("0.200000 < P. 1:101(100) ack 1 win 257"));
        assertThat(result.headline()).startsWith("t.pkt:14:1: ack: expected 1, got 101");
        assertThat(result.capture()).hasSizeGreaterThan(4);
    }

    private static String without(String text, int line) {
        List<String> lines = new ArrayList<>(text.lines().toList());
        lines.remove(line - 1);
        return String.join("\n", lines);
    }
}
