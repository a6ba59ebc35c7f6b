package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SegmentGluerTest {
    private static SegmentGluer glue(int length, String... segments) {
        SegmentGluer gluer = new SegmentGluer(length);
        for (String segment : segments) {
            assertThat(gluer.wantsMore()).as("before " + segment).isTrue();
            gluer.add(SegmentMatcherTest.live(segment));
        }
        return gluer;
    }

    @Test
    void fragments_become_one_segment_with_the_last_header() {
        SegmentGluer gluer =
                glue(
                        2500,
                        "> W. 1:1001(1000) ack 1 win 5",
                        "> . 1001:2001(1000) ack 1 win 5",
                        "> P. 2001:2501(500) ack 1 win 5");

        assertThat(gluer.wantsMore()).isFalse();
        assertThat(gluer.problem()).isEmpty();
        assertThat(SegmentText.of(gluer.glued())).isEqualTo("> PW. 1:2501(2500) ack 1 win 5");
    }

    @Test
    void a_segment_that_is_long_enough_stays_alone() {
        assertThat(glue(1000, "> . 1:1001(1000) ack 1").wantsMore()).isFalse();
        assertThat(glue(1000, "> . 1:2001(2000) ack 1").wantsMore()).isFalse();
        assertThat(glue(1000, "> . 1:1(0) ack 1").wantsMore()).isFalse();
        assertThat(glue(1000, "> F. 1:501(500) ack 1").wantsMore()).isFalse();
        assertThat(glue(10, "> S 0:5(5)").wantsMore()).isFalse();
    }

    @Test
    void fragments_that_do_not_fit_are_a_problem() {
        assertThat(problem("> . 1:1001(1000) ack 1", "> . 2001:3001(1000) ack 1"))
                .isEqualTo("fragment begins at 2001, not at 1001");
        assertThat(problem("> . 1:1001(1000) ack 1", "> . 1001:2001(1000) ack 2"))
                .isEqualTo("ack changes to 2 between fragments");
        assertThat(problem("> . 1:1001(1000) ack 1 win 1", "> . 1001:2001(1000) ack 1 win 2"))
                .isEqualTo("window changes to 2 between fragments");
        assertThat(problem("> . 1:1001(1000) ack 1", "> E. 1001:2001(1000) ack 1"))
                .isEqualTo("flags change to E. between fragments");
        assertThat(problem("> . 1:1001(1000) ack 1", "> . 1001:2001(1000) ack 1 <nop,nop,nop,nop>"))
                .isEqualTo("size of the options changes between fragments");
        assertThat(problem("> . 1:1001(1000) ack 1", "> . 1001:2501(1500) ack 1"))
                .isEqualTo("last fragment of 1500 bytes after 1000");
        assertThat(
                        problem(
                                "> . 1:1001(1000) ack 1",
                                "> . 1001:1501(500) ack 1",
                                "> . 1501:2001(500) ack 1"))
                .isEqualTo("fragment of 500 bytes among those of 1000");
    }

    private static String problem(String... segments) {
        return glue(5000, segments).problem().orElse("none");
    }
}
