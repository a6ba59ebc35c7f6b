package dev.sluice.sim.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Flows of one kind get equal parts of a link. */
class FairnessTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8, 16, 32, 64})
    void cubic_flows_share_fairly(int flows) {
        try (SharedLink link =
                new SharedLink(1, SharedLink.link(50, 20, 100)).with(flows, "cubic").start()) {
            link.runMillis(10_000);
            link.mark();
            link.runMillis(50_000);
            double[] rates = link.megabits();
            assertThat(rates).hasSize(flows);
            assertThat(SharedLink.sum(rates)).isGreaterThan(46);
            assertThat(SharedLink.fairness(rates)).isGreaterThanOrEqualTo(0.95);
        }
    }
}
