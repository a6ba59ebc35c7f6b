package dev.sluice.verify.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;

/**
 * In steady state a segment costs no allocation: the thread's allocation counter stands still while
 * more than 100,000 data segments are sent, received and acknowledged.
 */
@Timeout(300)
class SteadyStateAllocationTest {
    private static final int WARM_UP = 100_000;
    private static final int MOST_ROUNDS = 6;
    private static final int MEASURED = 100_000;

    /** Rounds of which one must be without any allocation. */
    private static final int GROWTHS = 3;

    @Test
    void stored_payload_both_ways() {
        assertNothingAllocated(new BulkPair(false, 0, "cubic"));
    }

    @Test
    void synthetic_payload_both_ways() {
        assertNothingAllocated(new BulkPair(true, 0, "cubic"));
    }

    @Test
    void stored_payload_with_loss_and_selective_acknowledgments() {
        assertNothingAllocated(new BulkPair(false, 100, "cubic"));
    }

    @Test
    void synthetic_payload_with_loss_and_selective_acknowledgments() {
        assertNothingAllocated(new BulkPair(true, 100, "cubic"));
    }

    @Test
    void bbr_with_loss_and_selective_acknowledgments() {
        assertNothingAllocated(new BulkPair(true, 100, "bbr"));
    }

    private static void assertNothingAllocated(BulkPair pair) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(threads.isThreadAllocatedMemorySupported()).isTrue();
        try (pair) {
            // Until pools and tables have the size they need and the classes are linked: until one
            // round has allocated nothing, which must not take long.
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < MOST_ROUNDS && allocated > 0; round++) {
                allocated = allocatedBy(pair, WARM_UP, threads);
            }
            assertThat(allocated).as("bytes in the last round of the warm-up").isZero();

            // A burst of losses larger than any before makes a table grow once; a byte for each
            // segment, or for each loss, would be there every time.
            allocated = Long.MAX_VALUE;
            for (int round = 0; round < GROWTHS && allocated > 0; round++) {
                long segments = pair.segments();
                allocated = allocatedBy(pair, MEASURED, threads);
                assertThat(pair.segments() - segments).isGreaterThanOrEqualTo(MEASURED);
            }
            assertThat(allocated).as("bytes allocated").isZero();
            if (pair.loses()) {
                assertThat(pair.lost()).isPositive();
                assertThat(pair.retransmitted()).isPositive();
            }
        }
    }

    private static long allocatedBy(BulkPair pair, int segments, ThreadMXBean threads) {
        long thread = Thread.currentThread().threadId();
        long before = threads.getThreadAllocatedBytes(thread);
        pair.run(segments);
        return threads.getThreadAllocatedBytes(thread) - before;
    }
}
