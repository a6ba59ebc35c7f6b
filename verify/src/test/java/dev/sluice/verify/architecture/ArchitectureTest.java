package dev.sluice.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Set;

/** The rules of the architecture hold for the production classes of all modules. */
class ArchitectureTest {
    private static final Architecture PROJECT = Architecture.ofProject();

    /** Rules whose subject is not built yet. */
    private static final Set<String> AWAITED =
            Set.of(
                    "parts do not know the connection",
                    "parts are package-private and final",
                    "congestion control is apart",
                    "the segment path is primitive");

    static List<Rule> rules() {
        return PROJECT.rules();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void rule_holds(Rule rule) {
        assertThat(rule.violations(PROJECT.classes()))
                .as("%s", rule.rule().getDescription())
                .isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void rule_speaks_about_something(Rule rule) {
        boolean hasSubjects =
                AWAITED.contains(rule.name())
                        || PROJECT.classes().stream().anyMatch(rule.subjects());
        assertThat(hasSubjects).as("classes that rule '%s' speaks about exist", rule).isTrue();
    }
}
