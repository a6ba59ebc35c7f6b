package dev.sluice.race;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** No class is shared between threads without a row here, and docs/races.md names every row. */
class SharedClassesTest {
    private static final Path ROOT = Path.of(System.getProperty("sluice.root"));
    private static final Pattern SHARING = Pattern.compile("\\bVarHandle\\b|\\bvolatile\\b");
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");

    /**
     * Share single values that mean something alone, or are written under a lock; closing them
     * opens the gates as in the rows of the channels.
     */
    private static final Set<String> SINGLE_VALUES =
            Set.of(
                    "nio/StackSelectorProvider",
                    "nio/StackDatagramSocket",
                    "nio/StackServerSocket",
                    "nio/StackSocket",
                    "nio/StackStreamSocket");

    @Test
    void every_class_that_orders_memory_has_a_row() throws IOException {
        Set<String> shared = new TreeSet<>();
        for (String module : List.of("core", "runtime")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    String code = COMMENT.matcher(Files.readString(file)).replaceAll("");
                    if (SHARING.matcher(code).find()) {
                        shared.add(key(file));
                    }
                }
            }
        }
        assertThat(shared).containsAll(SINGLE_VALUES);
        shared.removeAll(SINGLE_VALUES);
        assertThat(rows()).containsAll(shared);
    }

    @Test
    void the_table_of_the_documentation_has_every_row() throws IOException {
        String table = Files.readString(ROOT.resolve("docs/races.md"));
        for (RaceTest test : RaceTest.all()) {
            Row row = test.holder().getAnnotation(Row.class);
            assertThat(table).contains("| `" + row.shared() + "` | " + row.protocol() + " |");
        }
    }

    @Test
    void every_row_has_a_test_of_the_real_thing() {
        Set<Class<?>> tested =
                RaceTest.all().stream()
                        .filter(test -> !test.mustFail())
                        .map(RaceTest::holder)
                        .collect(Collectors.toSet());
        assertThat(RaceTest.all()).allMatch(test -> tested.contains(test.holder()));
    }

    private static Set<String> rows() {
        return RaceTest.all().stream()
                .map(test -> test.holder().getAnnotation(Row.class).shared())
                .collect(Collectors.toSet());
    }

    /** {@code memory/BlockPool}. */
    private static String key(Path file) {
        String name = file.getFileName().toString();
        return file.getParent().getFileName() + "/" + name.substring(0, name.indexOf('.'));
    }
}
