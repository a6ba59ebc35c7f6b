package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code sluice packetdrill} as a user meets it. */
class PacketdrillCommandTest {
    private static final String HANDSHAKE =
            """
            0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
            +0 bind(3, ..., ...) = 0
            +0 listen(3, 1) = 0
            +0 < S 0:0(0) win 1000 <mss 1000>
            +0 > S. 0:0(0) ack 1 <mss 1460>
            +.1 < . 1:1(0) ack 1 win 1000
            +.05 accept(3, ..., ...) = 4
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir private Path directory;

    @BeforeEach
    void write_scripts() throws IOException {
        Files.createDirectories(directory.resolve("good"));
        Files.createDirectories(directory.resolve("bad"));
        Files.writeString(directory.resolve("good/open.pkt"), HANDSHAKE);
        Files.writeString(
                directory.resolve("bad/wrong.pkt"), HANDSHAKE.replace("mss 1460", "mss 1461"));
        Files.writeString(
                directory.resolve("bad/unknown.pkt"), "0 `reboot`\n+0 close(3) = -1 EBADF\n");
    }

    private int run(String... args) {
        return Sluice.run(args, new PrintWriter(out), new PrintWriter(err));
    }

    private List<String> lines() {
        return out.toString().lines().toList();
    }

    @Test
    void a_passing_script_prints_the_totals_and_nothing_else() {
        int status = run("packetdrill", directory.resolve("good/open.pkt").toString());

        assertThat(lines()).containsExactly("passed 1, failed 0, unsupported 0");
        assertThat(status).isEqualTo(ExitCode.OK);
    }

    @Test
    void a_directory_without_scripts_is_an_error_that_says_so() throws IOException {
        Path empty = Files.createDirectories(directory.resolve("empty"));

        assertThat(run("packetdrill", empty.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("there is no *.pkt file below " + empty);
    }

    @Test
    void a_directory_is_summed_up_by_area_and_failures_are_explained() {
        int status = run("packetdrill", directory.toString());

        assertThat(status).isEqualTo(ExitCode.MISSED);
        assertThat(out.toString())
                .contains("wrong.pkt:5:1: options: expected <mss 1461>, got <mss 1460>")
                .contains("    script: +0 > S. 0:0(0) ack 1 <mss 1461>")
                .contains("    actual:   > S. 0:0(0) ack 1 win")
                .contains("unknown.pkt:1:4: the command 'reboot'");
        assertThat(lines())
                .endsWith(
                        "bad     0 of   2 pass,   1 fail,   1 unsupported",
                        "good    1 of   1 pass,   0 fail,   0 unsupported",
                        "passed 1, failed 1, unsupported 1");
    }

    @Test
    void unsupported_alone_is_not_success() {
        assertThat(run("packetdrill", "-q", directory.resolve("bad/unknown.pkt").toString()))
                .isEqualTo(ExitCode.MISSED);
        assertThat(lines()).hasSize(2).last().isEqualTo("passed 0, failed 0, unsupported 1");
    }

    @Test
    void results_go_to_files_and_from_there_into_a_document() throws IOException {
        Path tsv = directory.resolve("results.tsv");
        Path xml = directory.resolve("results.xml");
        run(
                "packetdrill",
                directory.toString(),
                "--tsv",
                tsv.toString(),
                "--junit",
                xml.toString(),
                "--captures",
                directory.resolve("captures").toString(),
                "--fact",
                "suite=our suite");
        out.getBuffer().setLength(0);

        int status = run("packetdrill", "--report", tsv.toString());

        assertThat(status).isEqualTo(ExitCode.OK);
        assertThat(out.toString())
                .startsWith("# Conformance\n")
                .contains("## our suite")
                .contains("3 scripts, 1 pass, 1 fail, 1 unsupported")
                .contains("| bad/wrong.pkt | fail | 5:1 |")
                .doesNotContain(directory.toString());
        assertThat(xml).content().contains("<testsuite name=\"packetdrill\" tests=\"3\"");
        assertThat(directory.resolve("captures/bad/wrong.pcapng")).isNotEmptyFile();
    }

    @Test
    void a_capture_of_another_run_can_be_checked_against_the_script() {
        String captures = directory.resolve("captures").toString();
        String wrong = directory.resolve("bad/wrong.pkt").toString();
        run("packetdrill", wrong, "--captures", captures);
        out.getBuffer().setLength(0);

        String capture = directory.resolve("captures/wrong.pcapng").toString();
        int same = run("packetdrill", wrong, "--replay", capture);

        assertThat(same).isEqualTo(ExitCode.MISSED);
        assertThat(out.toString()).contains("options: expected <mss 1461>, got <mss 1460>");
    }

    @Test
    void the_strict_form_allows_one_millisecond() throws IOException {
        Path late = directory.resolve("late.pkt");
        Files.writeString(late, HANDSHAKE.replace("+0 > S.", "+.003 > S."));

        assertThat(run("packetdrill", late.toString())).isEqualTo(ExitCode.OK);
        assertThat(run("packetdrill", "--strict", late.toString())).isEqualTo(ExitCode.MISSED);
    }

    @Test
    void a_path_that_is_not_there_is_a_usage_error() {
        assertThat(run("packetdrill", directory.resolve("none").toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("does not exist");
        assertThat(run("packetdrill", directory.toString(), "--ip-version", "5"))
                .isEqualTo(ExitCode.USAGE);
    }
}
