package dev.sluice.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

class SimulationTest {
    private final Simulation simulation = new Simulation(1);
    private final List<String> log = new ArrayList<>();
    private final int recorder =
            simulation.register(
                    (now, code, argument) -> log.add(now + ":" + code + ":" + argument));

    @Test
    void events_come_in_order_of_time_then_rank_then_scheduling() {
        simulation.schedule(20, Simulation.FAULT, recorder, 1, 0);
        simulation.schedule(10, Simulation.APPLICATION, recorder, 2, 0);
        simulation.schedule(10, Simulation.TIMER, recorder, 3, 1);
        simulation.schedule(10, Simulation.TIMER, recorder, 3, 2);
        simulation.schedule(10, Simulation.ARRIVAL, recorder, 4, -7);

        simulation.runUntil(20);

        assertThat(log).containsExactly("10:4:-7", "10:3:1", "10:3:2", "10:2:0", "20:1:0");
        assertThat(simulation.eventsHandled()).isEqualTo(5);
    }

    @Test
    void a_run_handles_what_is_due_and_sets_the_clock_to_its_end() {
        simulation.schedule(5, Simulation.TIMER, recorder, 0, 0);
        simulation.schedule(6, Simulation.TIMER, recorder, 0, 0);

        assertThat(simulation.runUntil(5)).isEqualTo(5);
        assertThat(log).hasSize(1);
        assertThat(simulation.runFor(100)).isEqualTo(105);
        assertThat(simulation.now()).isEqualTo(105);
        assertThat(simulation.eventsPending()).isZero();
        assertThat(simulation.step()).isFalse();
    }

    @Test
    void a_stopped_run_leaves_clock_and_events_where_they_are() {
        int stopper = simulation.register((now, code, argument) -> simulation.stop());
        simulation.schedule(5, Simulation.TIMER, stopper, 0, 0);
        simulation.schedule(6, Simulation.TIMER, recorder, 0, 0);

        assertThat(simulation.runUntil(50)).isEqualTo(5);
        assertThat(simulation.nextEventTime()).isEqualTo(6);
    }

    @Test
    void events_may_schedule_events_at_the_same_instant() {
        int[] left = {3};
        int[] handler = new int[1];
        handler[0] =
                simulation.register(
                        (now, code, argument) -> {
                            log.add("now " + now);
                            if (--left[0] > 0) {
                                simulation.schedule(now, Simulation.TIMER, handler[0], 0, 0);
                            }
                        });
        simulation.schedule(7, Simulation.TIMER, handler[0], 0, 0);

        simulation.runUntil(7);

        assertThat(log).containsExactly("now 7", "now 7", "now 7");
    }

    @Test
    void the_queue_sorts_any_mixture_of_events() {
        record Event(long time, int rank, long number) {}
        Rng rng = new Rng(42);
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            Event event = new Event(rng.nextInt(700), rng.nextInt(4), i);
            events.add(event);
            simulation.schedule(event.time, event.rank, recorder, event.rank, event.number);
        }

        simulation.runUntil(1_000);

        events.sort(Comparator.comparingLong(Event::time).thenComparingInt(Event::rank));
        List<String> expected =
                events.stream().map(e -> e.time + ":" + e.rank + ":" + e.number).toList();
        assertThat(log).isEqualTo(expected);
    }

    @Test
    void generators_depend_on_seed_and_label_only() {
        long first = new Simulation(9).rng("a").nextLong();
        Simulation other = new Simulation(9);
        other.rng("b").nextLong();

        assertThat(other.rng("a").nextLong()).isEqualTo(first);
        assertThat(new Simulation(10).rng("a").nextLong()).isNotEqualTo(first);
    }
}
