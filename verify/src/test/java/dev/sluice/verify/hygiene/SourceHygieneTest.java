package dev.sluice.verify.hygiene;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.verify.Checkout;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What the compiler and the formatter let pass and a reviewer would not. */
class SourceHygieneTest {
    /** Split, so that this file does not find itself. */
    private static final Pattern UNFINISHED =
            Pattern.compile("\\b(" + "TO" + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b");

    /**
     * About 600 and 70 are the habit, kept by review with the notes printed here; tables of
     * constants are longer. These are where it is certainly broken.
     */
    private static final int LINES_OF_A_FILE = 1000;

    private static final int LINES_OF_A_METHOD = 140;

    private static List<JavaSource> sources;

    @BeforeAll
    static void parse() throws IOException {
        sources =
                JavaSource.parse(
                        Checkout.files(".java").stream()
                                .filter(f -> !f.getFileName().toString().equals("module-info.java"))
                                .toList());
    }

    @Test
    void the_scan_sees_this_very_file_and_the_core() {
        assertThat(sources)
                .extracting(s -> s.file().getFileName().toString())
                .contains("SourceHygieneTest.java", "PacketBuffer.java");
    }

    @Test
    void nothing_is_marked_as_unfinished() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : Checkout.files(".java", ".md", ".xml", ".pkt", ".yaml", "sluice", "run")) {
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                if (UNFINISHED.matcher(line).find()) {
                    found.add(
                            Checkout.root().relativize(file) + ":" + number + ": " + line.strip());
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void every_type_that_others_see_has_a_comment() {
        assertThat(sources)
                .filteredOn(SourceHygieneTest::isProduction)
                .filteredOn(s -> !s.uncommented().isEmpty())
                .extracting(s -> s.file() + ": " + s.uncommented())
                .isEmpty();
    }

    /** A method handle is declared to throw anything, so calls of the C library catch it. */
    @Test
    void nothing_but_the_loop_and_native_calls_catches_everything() {
        assertThat(sources)
                .filteredOn(s -> s.file().toString().contains("/src/main/"))
                .filteredOn(s -> !s.file().endsWith("loop/EventLoop.java"))
                .filteredOn(s -> !s.file().getParent().endsWith("runtime/ffi"))
                .filteredOn(s -> s.catches().stream().anyMatch(SourceHygieneTest::isEverything))
                .extracting(JavaSource::file)
                .isEmpty();
    }

    private static boolean isEverything(String type) {
        return List.of("Throwable", "Error", "java.lang.Throwable").contains(type);
    }

    @Test
    void files_and_methods_stay_readable() {
        for (JavaSource s : sources) {
            if (s.lines() > 600) {
                System.out.println("note: " + s.file() + " has " + s.lines() + " lines");
            }
            if (s.longestMethodLines() > 70) {
                System.out.println(
                        "note: %s: %s has %d lines"
                                .formatted(s.file(), s.longestMethod(), s.longestMethodLines()));
            }
        }
        assertThat(sources)
                .filteredOn(
                        s ->
                                s.lines() > LINES_OF_A_FILE
                                        || s.longestMethodLines() > LINES_OF_A_METHOD)
                .extracting(s -> s.file() + ", method " + s.longestMethod())
                .isEmpty();
    }

    /** Tests are read by their names; the test kit is read like any other code. */
    private static boolean isProduction(JavaSource source) {
        String file = source.file().toString();
        return file.contains("/src/main/") || file.contains("/testkit/");
    }
}
