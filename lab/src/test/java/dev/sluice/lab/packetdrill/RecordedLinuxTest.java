package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What Linux 6.18 sent while the original tool ran our own scripts and passed them, recorded with
 * tcpdump: our matching rules must pass these packets too, and must fail every script in which one
 * expectation is spoiled. So a wrong rule here cannot make our stack look good.
 */
class RecordedLinuxTest {
    private static final Packetdrill PACKETDRILL = new Packetdrill(Packetdrill.Settings.DEFAULT);

    private static Path resource(String name) throws URISyntaxException {
        return Path.of(RecordedLinuxTest.class.getResource(name).toURI());
    }

    private static List<Path> recordings() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(resource("/packetdrill-recordings"))) {
            return files.filter(f -> f.toString().endsWith(".pcap")).sorted().toList();
        }
    }

    /** {@code area_name.pcap} belongs to {@code area/name.pkt}; both parts may have underscores. */
    private static Path scriptOf(Path recording) throws URISyntaxException {
        String name = recording.getFileName().toString().replace(".pcap", "");
        Path root = resource("/packetdrill");
        for (int at = name.indexOf('_'); at > 0; at = name.indexOf('_', at + 1)) {
            Path script =
                    root.resolve(name.substring(0, at)).resolve(name.substring(at + 1) + ".pkt");
            if (Files.exists(script)) {
                return script;
            }
        }
        throw new AssertionError("no script for " + recording);
    }

    @Test
    void what_linux_sent_passes() throws IOException, URISyntaxException {
        List<String> failures = new ArrayList<>();
        for (Path recording : recordings()) {
            ScriptResult result = PACKETDRILL.replay(scriptOf(recording), recording);
            if (result.verdict() != Verdict.PASSED) {
                failures.add(result.headline());
            }
        }

        assertThat(failures).isEmpty();
        assertThat(recordings()).hasSizeGreaterThan(70);
    }

    @Test
    void every_spoiled_expectation_fails_at_its_line() throws IOException, URISyntaxException {
        List<String> missed = new ArrayList<>();
        int spoiled = 0;
        for (Path recording : recordings()) {
            Path script = scriptOf(recording);
            String text = Files.readString(script);
            for (Step step : ScriptParser.parse("s", text, Map.of()).steps()) {
                if (step instanceof Step.Expect expect
                        && expect.packet() instanceof PacketSpec.Tcp tcp
                        && !tcp.sequence().any()) {
                    int line = step.position().line();
                    spoiled++;
                    if (!failsAt(line, spoil(text, line), script, recording)) {
                        missed.add(script.getFileName() + ":" + line);
                    }
                }
            }
        }

        assertThat(missed).isEmpty();
        assertThat(spoiled).isGreaterThan(200);
    }

    private static boolean failsAt(int line, String text, Path script, Path recording)
            throws IOException {
        List<ScriptResult.CapturedPacket> packets = Captures.read(recording);
        ScriptResult result =
                PACKETDRILL.run(
                        script.toString(),
                        text,
                        flags -> new RecordedHost(packets, Addresses.local(flags)));
        return result.verdict() == Verdict.FAILED && result.position().orElseThrow().line() == line;
    }

    /**
     * Demands the next acknowledgment number, or one where there is none, on the line's segment.
     */
    private static String spoil(String text, int line) {
        String[] lines = text.split("\n", -1);
        String original = lines[line - 1];
        int ack = original.indexOf(" ack ");
        if (ack >= 0) {
            int end = ack + 5;
            while (end < original.length() && Character.isDigit(original.charAt(end))) {
                end++;
            }
            long number = Long.parseLong(original.substring(ack + 5, end)) + 1;
            lines[line - 1] = original.substring(0, ack + 5) + number + original.substring(end);
        } else {
            lines[line - 1] = original.replaceFirst("\\)", ") ack 4711");
        }
        return String.join("\n", lines);
    }
}
