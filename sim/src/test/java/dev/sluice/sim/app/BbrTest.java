package dev.sluice.sim.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sim.net.Impairments;
import dev.sluice.sim.net.LinkSpec;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What BBR does with a path, from outside. */
class BbrTest {
    /** 100 Mbit/s and 50 ms hold 417 packets. */
    private static final LinkSpec WIDE = SharedLink.link(100, 50, 400);

    @Test
    void it_fills_a_link_and_leaves_the_queue_nearly_empty() {
        try (SharedLink link = new SharedLink(1, WIDE).with(1, "bbr").start()) {
            link.runMillis(2_000);
            link.mark();
            long sum = 0;
            for (int i = 0; i < 2_000; i++) {
                link.runMillis(10);
                sum += link.queued();
            }
            // Of 96.5 Mbit/s that are left for payload.
            assertThat(SharedLink.sum(link.megabits())).isGreaterThan(90);
            assertThat(sum / 2_000).as("packets waiting on average").isLessThan(60);
        }
    }

    @Test
    void random_loss_of_one_per_cent_costs_little() {
        LinkSpec lossy = WIDE.with(Impairments.loss(1, 100));
        double[] rates = new double[2];
        String[] names = {"bbr", "cubic"};
        for (int i = 0; i < 2; i++) {
            try (SharedLink link = new SharedLink(1, lossy).with(1, names[i]).start()) {
                link.runMillis(2_000);
                link.mark();
                link.runMillis(15_000);
                rates[i] = SharedLink.sum(link.megabits());
            }
        }
        assertThat(rates[0]).isGreaterThan(60);
        assertThat(rates[0]).isGreaterThan(10 * rates[1]);
    }

    @Test
    void four_flows_share_fairly() {
        try (SharedLink link = new SharedLink(1, WIDE).with(4, "bbr").start()) {
            link.runMillis(15_000);
            link.mark();
            link.runMillis(45_000);
            assertThat(SharedLink.fairness(link.megabits())).isGreaterThan(0.9);
            assertThat(SharedLink.sum(link.megabits())).isGreaterThan(90);
        }
    }

    @Test
    void a_shallow_queue_is_no_obstacle() {
        LinkSpec shallow = SharedLink.link(20, 50, 20);
        try (SharedLink link = new SharedLink(1, shallow).with(1, "bbr").start()) {
            link.runMillis(3_000);
            link.mark();
            link.runMillis(20_000);
            assertThat(SharedLink.sum(link.megabits())).isGreaterThan(17);
        }
    }

    @Test
    void every_five_seconds_it_looks_for_the_minimum_rtt() {
        try (SharedLink link = new SharedLink(1, WIDE).with(1, "bbr").start()) {
            List<Integer> begun = new ArrayList<>();
            boolean low = true;
            for (int millis = 10; millis <= 21_000; millis += 10) {
                link.runMillis(10);
                boolean now = millis > 1_000 && link.info(0).sndCwnd < 250;
                if (now && !low) {
                    begun.add(millis);
                }
                low = millis <= 1_000 || now;
            }
            assertThat(begun).hasSizeBetween(3, 4);
            for (int i = 1; i < begun.size(); i++) {
                assertThat(begun.get(i) - begun.get(i - 1)).isBetween(5_000, 5_700);
            }
        }
    }

    @Test
    void it_leaves_something_to_cubic_and_takes_its_part() {
        // Two round trips of queue.
        LinkSpec deep = SharedLink.link(50, 30, 250);
        try (SharedLink link = new SharedLink(1, deep).with(1, "bbr").with(1, "cubic").start()) {
            link.runMillis(20_000);
            link.mark();
            link.runMillis(60_000);
            assertThat(link.megabits()[0]).isBetween(5.0, 43.0);
        }
    }
}
