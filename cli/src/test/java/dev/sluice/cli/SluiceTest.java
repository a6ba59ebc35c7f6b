package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import dev.sluice.config.Sysctl;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The command line as a user meets it: what is printed where, and the exit status. */
class SluiceTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return Sluice.run(args, new PrintWriter(out), new PrintWriter(err));
    }

    @Test
    void help_names_every_command_and_every_exit_status() {
        assertThat(run("--help")).isEqualTo(ExitCode.OK);
        assertThat(out.toString())
                .contains("sysctl", "test", "completion", "help")
                .containsPattern("(?m)^ +0 +")
                .containsPattern("(?m)^ +1 +")
                .containsPattern("(?m)^ +2 +")
                .containsPattern("(?m)^ +70 +");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void every_command_has_help_of_its_own() {
        for (var entry : Sluice.commandLine().getSubcommands().entrySet()) {
            out.getBuffer().setLength(0);
            assertThat(run(entry.getKey(), "--help")).as(entry.getKey()).isEqualTo(ExitCode.OK);
            assertThat(out.toString()).contains("Usage: sluice " + entry.getKey());
        }
    }

    @Test
    void a_place_that_cannot_be_written_is_named_and_no_fault_of_ours() {
        assertThat(run("lab", "run", "nagle-off", "--out", "/proc/x")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).startsWith("sluice: cannot use /proc/x");
    }

    @Test
    void version_is_the_one_of_the_build() {
        assertThat(run("--version")).isEqualTo(ExitCode.OK);
        assertThat(out.toString()).containsPattern("^sluice \\d+\\.\\d+\\.\\d+");
    }

    @Test
    void no_command_is_a_usage_error() {
        assertThat(run()).isEqualTo(ExitCode.USAGE);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).contains("sluice --help");
    }

    @Test
    void a_misspelt_command_is_a_usage_error_with_a_suggestion() {
        assertThat(run("sysctk")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("sysctk").contains("sluice sysctl");
    }

    @Test
    void an_unknown_option_is_a_usage_error() {
        assertThat(run("sysctl", "--jason")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--jason");
    }

    @Test
    void sysctl_lists_every_key_with_its_default() {
        assertThat(run("sysctl")).isEqualTo(ExitCode.OK);
        assertThat(out.toString().lines())
                .hasSameSizeAs(Sysctl.values())
                .contains("net.ipv4.tcp_sack = 1");
    }

    @Test
    void sysctl_tells_about_one_key() {
        assertThat(run("sysctl", "tcp_rmem")).isEqualTo(ExitCode.OK);
        assertThat(out.toString().lines().toList())
                .hasSize(3)
                .startsWith("net.ipv4.tcp_rmem = 4096 131072 33554432")
                .anyMatch(line -> line.contains(Sysctl.TCP_RMEM.meaning()))
                .anyMatch(line -> line.contains("bytes; allowed: "));
    }

    @Test
    void sysctl_suggests_the_key_that_was_meant_and_prints_no_other() {
        assertThat(run("sysctl", "tcp_rmem", "net.ipv4.tcp_sakc")).isEqualTo(ExitCode.USAGE);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).contains("tcp_sakc").contains("net.ipv4.tcp_sack");
    }

    @Test
    void sysctl_prints_the_whole_table_as_json() throws IOException {
        assertThat(run("sysctl", "--json")).isEqualTo(ExitCode.OK);
        List<String> keys = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(out.toString())) {
            assertThat(parser.nextToken()).isEqualTo(JsonToken.START_ARRAY);
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    String value = parser.nextTextValue();
                    assertThat(value).as(name).isNotNull();
                    if (name.equals("key")) {
                        keys.add(value);
                    }
                }
            }
            assertThat(parser.currentToken()).isEqualTo(JsonToken.END_ARRAY);
            assertThat(parser.nextToken()).isNull();
        }
        assertThat(keys)
                .containsExactlyElementsOf(
                        Arrays.stream(Sysctl.values()).map(Sysctl::key).toList());
    }

    @Test
    void completion_script_knows_every_command_and_every_key() {
        assertThat(run("completion", "bash")).isEqualTo(ExitCode.OK);
        assertThat(out.toString())
                .startsWith("#!/usr/bin/env bash")
                .contains("complete -F _complete_sluice")
                .contains("net.ipv4.tcp_sack");
        for (String command : Sluice.commandLine().getSubcommands().keySet()) {
            assertThat(out.toString()).contains("function _picocli_sluice_" + command + "()");
        }
    }

    @Test
    void completion_for_another_shell_is_a_usage_error() {
        assertThat(run("completion", "fish")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("BASH, ZSH");
    }

    @Test
    void test_format_and_example_point_to_the_launcher() {
        assertThat(run("example", "tomcat", "tun")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("./sluice example tomcat tun");
        assertThat(run("test", "--long")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("./sluice test --long");
        assertThat(run("format")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("./sluice format");
    }

    @Test
    void a_fault_of_ours_is_told_apart_from_a_missed_check() {
        assertThat(Sluice.commandLine().getCommandSpec().exitCodeOnExecutionException())
                .isEqualTo(ExitCode.INTERNAL)
                .isNotIn(ExitCode.OK, ExitCode.MISSED, ExitCode.USAGE);
        for (CommandLine sub : Sluice.commandLine().getSubcommands().values()) {
            assertThat(sub.getCommandSpec().exitCodeOnExecutionException())
                    .as(sub.getCommandName())
                    .isEqualTo(ExitCode.INTERNAL);
        }
    }
}
