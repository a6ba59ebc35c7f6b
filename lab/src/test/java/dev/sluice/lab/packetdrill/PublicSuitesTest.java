package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Parses the public suites where a checkout is at hand. They are not part of this project; name
 * their directories with {@code -Dsluice.suite.google=DIR} and {@code -Dsluice.suite.freebsd=DIR}.
 */
class PublicSuitesTest {
    private static final Map<String, String> DEFINITIONS =
            Map.of("STANDARD", "1", "MSS", "1460", "CODE", "host_unreachable");

    @Test
    void all_scripts_of_google_packetdrill_parse() throws IOException {
        Outcome outcome = parse("sluice.suite.google");

        assertThat(outcome.failures).isEmpty();
        assertThat(outcome.parsed).isGreaterThanOrEqualTo(177);
    }

    /** Two of its 1,103 scripts have a slip of the pen in them. */
    @Test
    void the_freebsd_suite_parses_but_for_two_mistyped_scripts() throws IOException {
        Outcome outcome = parse("sluice.suite.freebsd");

        assertThat(outcome.parsed).isGreaterThanOrEqualTo(1101);
        assertThat(outcome.failures).hasSizeLessThanOrEqualTo(2);
    }

    private static Outcome parse(String property) throws IOException {
        String directory = System.getProperty(property);
        assumeTrue(directory != null, "no checkout of the suite: -D" + property + " is not set");
        Outcome outcome = new Outcome();
        try (Stream<Path> files = Files.walk(Path.of(directory))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".pkt")).sorted().toList()) {
                String text = Files.readString(file, StandardCharsets.ISO_8859_1);
                try {
                    ScriptParser.parse(file.toString(), text, DEFINITIONS);
                    outcome.parsed++;
                } catch (ScriptSyntaxException error) {
                    outcome.failures.add(error.getMessage());
                }
            }
        }
        System.out.println(property + ": parsed " + outcome.parsed + " of " + outcome.total());
        return outcome;
    }

    private static final class Outcome {
        private int parsed;
        private final List<String> failures = new ArrayList<>();

        int total() {
            return parsed + failures.size();
        }
    }
}
