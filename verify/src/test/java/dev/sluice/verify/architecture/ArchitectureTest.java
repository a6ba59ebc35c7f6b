package dev.sluice.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/** The rules of the architecture hold for the production classes of all modules. */
class ArchitectureTest {
    private static final Architecture PROJECT = Architecture.ofProject();

    /** Enough to see what a violation is about. */
    private static final int SHOWN = 20;

    static List<Rule> rules() {
        return PROJECT.rules();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void rule_holds(Rule rule) {
        List<String> violations = rule.violations(PROJECT.classes());
        assertThat(violations.stream().limit(SHOWN))
                .as("%s: %d violations", rule.rule().getDescription(), violations.size())
                .isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void rule_speaks_about_something(Rule rule) {
        assertThat(PROJECT.classes().stream().anyMatch(rule.subjects()))
                .as("classes that rule '%s' speaks about exist", rule)
                .isTrue();
    }
}
