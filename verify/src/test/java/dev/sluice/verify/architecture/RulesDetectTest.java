package dev.sluice.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/**
 * Every rule can fail: each finds its culprit among fixture classes that break it. Without this a
 * rule that matches nothing would look like a rule that holds.
 */
class RulesDetectTest {
    private static final Architecture FIXTURES = Architecture.ofFixtures();

    static List<Rule> rules() {
        return FIXTURES.rules();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void rule_finds_its_culprit(Rule rule) {
        assertThat(rule.violations(FIXTURES.classes()))
                .as("violations of rule '%s' by the fixtures", rule)
                .isNotEmpty();
    }
}
