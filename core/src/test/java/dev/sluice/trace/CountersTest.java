package dev.sluice.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Locale;

class CountersTest {
    @Test
    void each_counter_counts_for_itself() {
        Counters counters = new Counters();
        counters.increment(Counter.TCP_TIMEOUTS);
        counters.add(Counter.TCP_CURR_ESTAB, 3);
        counters.add(Counter.TCP_CURR_ESTAB, -1);
        assertThat(counters.get(Counter.TCP_TIMEOUTS)).isEqualTo(1);
        assertThat(counters.get(Counter.TCP_CURR_ESTAB)).isEqualTo(2);
        assertThat(Arrays.stream(counters.snapshot()).sum()).isEqualTo(3);
    }

    @Test
    void a_difference_is_what_happened_in_between() {
        Counters counters = new Counters();
        counters.add(Counter.TCP_IN_SEGS, 10);
        long[] before = counters.snapshot();
        counters.add(Counter.TCP_IN_SEGS, 5);
        long[] difference = Counters.difference(before, counters.snapshot());
        assertThat(difference[Counter.TCP_IN_SEGS.ordinal()]).isEqualTo(5);
        assertThat(Arrays.stream(difference).sum()).isEqualTo(5);
    }

    @Test
    void several_stacks_are_summed() {
        Counters one = new Counters();
        Counters two = new Counters();
        one.add(Counter.TCP_OUT_SEGS, 4);
        two.add(Counter.TCP_OUT_SEGS, 6);
        long[] sums = new long[Counter.count()];
        one.addTo(sums);
        two.addTo(sums);
        assertThat(sums[Counter.TCP_OUT_SEGS.ordinal()]).isEqualTo(10);
    }

    @Test
    void names_are_those_of_nstat_and_unique() {
        assertThat(Counter.TCP_RETRANS_SEGS.nstatName()).isEqualTo("TcpRetransSegs");
        assertThat(Counter.TCP_LOST_RETRANSMIT.nstatName()).isEqualTo("TcpExtTCPLostRetransmit");
        assertThat(Counter.LISTEN_OVERFLOWS.nstatName()).isEqualTo("TcpExtListenOverflows");
        assertThat(Counter.values()).extracting(Counter::nstatName).doesNotHaveDuplicates();
        for (Counter counter : Counter.values()) {
            assertThat(Counter.ofNstatName(counter.nstatName())).isSameAs(counter);
        }
        assertThat(Counter.ofNstatName("TcpRetransSeg")).isNull();
    }

    @Test
    void a_constant_spells_the_linux_name() {
        for (Counter counter : Counter.values()) {
            String letters = counter.name().replace("_", "");
            assertThat(letters).endsWith(counter.linuxName().toUpperCase(Locale.ROOT));
        }
    }

    @Test
    void each_counter_has_one_sentence() {
        for (Counter counter : Counter.values()) {
            assertThat(counter.meaning()).as(counter.name()).endsWith(".").hasSizeBetween(15, 110);
        }
    }
}
