package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Our own scripts, each a statement about one behaviour and verified on Linux. {@code
 * known-gaps.txt} names those that do not pass yet; it may only become shorter.
 */
class OwnScriptsTest {
    private static final String GAPS = "known-gaps.txt";

    @Test
    void all_scripts_pass_but_for_the_known_gaps() throws IOException, URISyntaxException {
        Path root = Path.of(OwnScriptsTest.class.getResource("/packetdrill").toURI());
        Set<String> gaps = gaps(root.resolve(GAPS));
        List<String> failures = new ArrayList<>();
        Set<String> closed = new TreeSet<>(gaps);
        List<ScriptResult> results =
                new Packetdrill(Packetdrill.Settings.DEFAULT).runAll(root, result -> {});
        for (ScriptResult result : results) {
            String name = root.relativize(Path.of(result.name())).toString().replace('\\', '/');
            if (result.verdict() != Verdict.PASSED) {
                closed.remove(name);
                if (!gaps.contains(name)) {
                    failures.add(result.headline());
                }
            }
        }

        System.out.println("own scripts: " + new ResultTable(results).totals());
        closed.forEach(name -> System.out.println("no longer a gap, strike it: " + name));
        assertThat(failures).isEmpty();
        assertThat(results).hasSizeGreaterThan(300);
    }

    private static Set<String> gaps(Path file) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                names.add(line.strip());
            }
        }
        return names;
    }
}
