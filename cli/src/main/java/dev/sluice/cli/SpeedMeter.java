package dev.sluice.cli;

import dev.sluice.sim.app.SpeedCase;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Times the speed cases of the simulator.
 *
 * <p>Everything is run before anything is measured, each case for the wall time asked for, so that
 * the compiler is done. A measured run is then given as much virtual time as it takes to last that
 * long.
 */
final class SpeedMeter {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** Runs become faster while the compiler works, so what is aimed at is a little longer. */
    private static final double MARGIN = 1.25;

    private static final int LENGTHENINGS = 3;

    private final long wallNanos;
    private final int runs;
    private final long seed;
    private final Map<SpeedCase, Long> virtualNanos = new EnumMap<>(SpeedCase.class);

    /**
     * What was measured of one case. Rates are per second of wall time, but for the one of bits.
     *
     * @param speedCase the case
     * @param rate data segments read by the receivers, median of the runs
     * @param slowest the same, slowest run
     * @param fastest the same, fastest run
     * @param eventRate events, in the run of the median
     * @param virtualNanos virtual time of a run
     * @param wallNanos wall time of the run of the median
     * @param processorRate data segments per second of processor time in that run: more than the
     *     rate if others wanted the processor too
     * @param bitsPerSecond payload per second of virtual time
     * @param peakHeapBytes most heap in use, garbage included
     * @param peakResidentBytes most memory of the process, the JVM included; 0 where the system
     *     does not tell
     */
    record Result(
            SpeedCase speedCase,
            long rate,
            long slowest,
            long fastest,
            long eventRate,
            long virtualNanos,
            long wallNanos,
            long processorRate,
            long bitsPerSecond,
            long peakHeapBytes,
            long peakResidentBytes) {}

    private record Run(SpeedCase.Outcome outcome, long wallNanos, long processorNanos)
            implements Comparable<Run> {
        long rate() {
            return perSecond(outcome.segments(), wallNanos);
        }

        @Override
        public int compareTo(Run other) {
            return Long.compare(rate(), other.rate());
        }
    }

    SpeedMeter(long wallNanos, int runs, long seed) {
        this.wallNanos = wallNanos;
        this.runs = runs;
        this.seed = seed;
    }

    /** Warms up all cases; the wall time it took. */
    long warmUp() {
        Stopwatch all = new Stopwatch();
        for (SpeedCase each : SpeedCase.values()) {
            Stopwatch watch = new Stopwatch();
            long last;
            do {
                last = run(each, seed, each.defaultNanos()).wallNanos();
            } while (watch.nanos() < wallNanos);
            double factor = Math.max(1, MARGIN * wallNanos / last);
            virtualNanos.put(each, (long) (each.defaultNanos() * factor));
        }
        return all.nanos();
    }

    /** Measures a case that is warm. */
    Result measure(SpeedCase speedCase) {
        long nanos = lengthen(speedCase, virtualNanos.get(speedCase));
        Run[] measured = new Run[runs];
        ProcessMemory.resetPeaks();
        for (int i = 0; i < runs; i++) {
            measured[i] = run(speedCase, seed + i, nanos);
        }
        Arrays.sort(measured);
        Run median = measured[runs / 2];
        return new Result(
                speedCase,
                median.rate(),
                measured[0].rate(),
                measured[runs - 1].rate(),
                perSecond(median.outcome().events(), median.wallNanos()),
                nanos,
                median.wallNanos(),
                perSecond(median.outcome().segments(), median.processorNanos()),
                median.outcome().bitsPerSecond(),
                ProcessMemory.peakHeapBytes(),
                ProcessMemory.peakResidentBytes());
    }

    /** Virtual time that takes the wall time asked for: warm-up was slower than what follows. */
    private long lengthen(SpeedCase speedCase, long nanos) {
        long longer = nanos;
        for (int i = 0; i < LENGTHENINGS; i++) {
            long taken = run(speedCase, seed, longer).wallNanos();
            if (taken >= wallNanos) {
                return longer;
            }
            longer = (long) (longer * (MARGIN * wallNanos / taken));
        }
        return longer;
    }

    private static Run run(SpeedCase speedCase, long seed, long nanos) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long processor = threads.getCurrentThreadCpuTime();
        Stopwatch watch = new Stopwatch();
        SpeedCase.Outcome outcome = speedCase.run(seed, nanos);
        long wall = watch.nanos();
        return new Run(outcome, wall, Math.max(1, threads.getCurrentThreadCpuTime() - processor));
    }

    private static long perSecond(long count, long nanos) {
        return Math.round((double) count * NANOS_PER_SECOND / nanos);
    }
}
