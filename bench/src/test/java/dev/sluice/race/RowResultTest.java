package dev.sluice.race;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.race.litmus.PollAgainstAck;
import dev.sluice.race.litmus.PushAgainstCompletion;

import org.junit.jupiter.api.Test;

import java.util.List;

/** When a row holds. */
class RowResultTest {
    private static final String FORBIDDEN = "1, 0";
    private static final String ACCEPTABLE = "1, 1";

    @Test
    void holds_if_the_real_thing_never_fails_and_every_variant_does() {
        RowResult row = row(PollAgainstAck.class, 0, 3);
        assertThat(row.problems()).isEmpty();
        assertThat(row.line()).startsWith("ok").contains("forbidden 0 of 1,000");
    }

    @Test
    void fails_with_the_outcome_if_the_real_thing_fails_once() {
        RowResult row = row(PollAgainstAck.class, 1, 3);
        assertThat(row.problems()).singleElement().asString().contains("(1, 0), 1 times");
        assertThat(row.line()).startsWith("FAIL").contains("forbidden 1 of 1,001");
    }

    @Test
    void fails_if_a_variant_is_never_seen_to_fail() {
        RowResult row = row(PollAgainstAck.class, 0, 0);
        assertThat(row.problems()).hasSize(4).allMatch(p -> p.endsWith("proves nothing"));
    }

    @Test
    void fails_without_a_sample() {
        RowResult row = new RowResult(PollAgainstAck.class);
        tests(PollAgainstAck.class).stream().filter(t -> !t.mustFail()).forEach(row::add);
        assertThat(row.problems()).singleElement().asString().contains("no sample");
    }

    @Test
    void fails_if_a_jvm_broke() {
        RowResult row = new RowResult(PollAgainstAck.class);
        for (RaceTest test : tests(PollAgainstAck.class)) {
            test.count(ACCEPTABLE, 1);
            if (test.mustFail()) {
                test.count(FORBIDDEN, 1);
            } else {
                test.fault("TIMEOUT_ERROR");
            }
            row.add(test);
        }
        assertThat(row.problems()).singleElement().asString().endsWith("TIMEOUT_ERROR");
    }

    @Test
    void outcomes_that_nobody_thought_of_are_forbidden() {
        RaceTest test =
                RaceTest.all().stream()
                        .filter(t -> t.name().endsWith("BatonHandOver.Fixed"))
                        .findFirst()
                        .orElseThrow();
        test.count("2, 1", 1);
        test.count("1, 1", 1);
        assertThat(test.bad()).isEqualTo(1);
    }

    @Test
    void variants_that_this_processor_hides_are_named_and_do_not_pass_for_seen() {
        RowResult row = row(PushAgainstCompletion.class, 0, 0);
        boolean x86 = List.of("amd64", "x86_64").contains(System.getProperty("os.arch"));
        assertThat(row.line().contains("not observable on x86")).isEqualTo(x86);
        assertThat(row.problems()).hasSize(x86 ? 1 : 3);
    }

    private static RowResult row(Class<?> holder, long ofFixed, long ofVariants) {
        RowResult row = new RowResult(holder);
        for (RaceTest test : tests(holder)) {
            long bad = test.mustFail() ? ofVariants : ofFixed;
            if (bad > 0) {
                test.count(FORBIDDEN, bad);
            }
            test.count(ACCEPTABLE, 1_000);
            row.add(test);
        }
        return row;
    }

    private static List<RaceTest> tests(Class<?> holder) {
        return RaceTest.all().stream().filter(test -> test.holder() == holder).toList();
    }
}
