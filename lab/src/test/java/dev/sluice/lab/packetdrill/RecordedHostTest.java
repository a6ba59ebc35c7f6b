package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The packets of one run of our stack, played back against the same script and against spoiled
 * ones: the matching rules must come to the same verdict as in the run itself.
 */
class RecordedHostTest {
    private static final String SCRIPT =
            """
            0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
            +0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
            +0 bind(3, ..., ...) = 0
            +0 listen(3, 1) = 0
            +0 < S 0:0(0) win 32792 <mss 1012,sackOK,TS val 5 ecr 0,nop,wscale 7>
            +0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 100 ecr 5,nop,wscale 10>
            +.1 < . 1:1(0) ack 1 win 257 <nop,nop,TS val 105 ecr 100>
            +0 accept(3, ..., ...) = 4
            +0 write(4, ..., 1000) = 1000
            +0 > P. 1:1001(1000) ack 1 <nop,nop,TS val 200 ecr 105>
            +0~+1 > P. 1:1001(1000) ack 1 <nop,nop,TS val 400 ecr 105>
            +.1 < . 1:1(0) ack 1001 win 257 <nop,nop,TS val 500 ecr 200>
            +0 %{ assert tcpi_unacked == 0 }%
            """;

    private static final Packetdrill PACKETDRILL = new Packetdrill(Packetdrill.Settings.DEFAULT);

    private static List<ScriptResult.CapturedPacket> recording() {
        ScriptResult run = PACKETDRILL.run("t.pkt", SCRIPT);
        assertThat(run.headline()).isEmpty();
        return run.capture();
    }

    private static ScriptResult replay(String script, List<ScriptResult.CapturedPacket> packets) {
        IpAddress local = Addresses.local(ScriptFlags.DEFAULT);
        return PACKETDRILL.run("t.pkt", script, flags -> new RecordedHost(packets, local));
    }

    /**
     * The recording with other times and another port of the peer, as another system would have.
     */
    private static List<ScriptResult.CapturedPacket> moved(
            List<ScriptResult.CapturedPacket> packets, long nanos) {
        List<ScriptResult.CapturedPacket> moved = new ArrayList<>();
        for (ScriptResult.CapturedPacket packet : packets) {
            moved.add(
                    new ScriptResult.CapturedPacket(
                            packet.timeNanos() + nanos, packet.outbound(), packet.bytes()));
        }
        return moved;
    }

    @Test
    void a_recording_passes_the_script_it_was_made_with() {
        assertThat(replay(SCRIPT, recording()).headline()).isEmpty();
        assertThat(replay(SCRIPT, moved(recording(), 1_700_000_000_123_456_789L)).headline())
                .isEmpty();
    }

    @Test
    void a_recording_fails_a_spoiled_script_at_the_spoiled_line() {
        ScriptResult window =
                replay(
                        SCRIPT.replace("1001(1000) ack 1 <", "1001(1000) ack 1 win 3 <"),
                        recording());
        ScriptResult options =
                replay(SCRIPT.replace("nop,wscale 10>\n+.1", "wscale 10,nop>\n+.1"), recording());

        assertThat(window.verdict()).isEqualTo(Verdict.FAILED);
        assertThat(window.position().orElseThrow().line()).isEqualTo(10);
        assertThat(window.message()).startsWith("window: expected 3, got ");
        assertThat(options.position().orElseThrow().line()).isEqualTo(6);
    }

    @Test
    void a_missing_packet_of_the_recording_is_noticed() {
        List<ScriptResult.CapturedPacket> packets = new ArrayList<>(recording());
        packets.removeIf(packet -> packet.outbound() && packet.bytes().length > 1000);

        ScriptResult result = replay(SCRIPT, packets);

        assertThat(result.position().orElseThrow().line()).isEqualTo(10);
        assertThat(result.message()).startsWith("no packet came until");
    }

    @Test
    void a_damaged_packet_of_the_recording_is_noticed() {
        List<ScriptResult.CapturedPacket> packets = recording();
        byte[] synAck = packets.get(1).bytes();
        synAck[8] ^= 1;

        ScriptResult result = replay(SCRIPT, packets);

        assertThat(result.message())
                .isEqualTo("the stack sent a broken packet: bad IPv4 header checksum");
        assertThat(result.position().orElseThrow().line()).isEqualTo(6);
    }

    @Test
    void a_run_can_be_written_to_a_file_and_read_again(@TempDir Path directory) throws Exception {
        ScriptResult run = PACKETDRILL.run("t.pkt", SCRIPT);
        Path file = directory.resolve("a/b.pcapng");

        Captures.write(run, file);
        List<ScriptResult.CapturedPacket> read = Captures.read(file);

        assertThat(read).hasSameSizeAs(run.capture());
        assertThat(read)
                .extracting(ScriptResult.CapturedPacket::outbound)
                .isEqualTo(
                        run.capture().stream().map(ScriptResult.CapturedPacket::outbound).toList());
        assertThat(replay(SCRIPT, read).headline()).isEmpty();
    }
}
