package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonGenerator;

import dev.sluice.sim.app.SpeedCase;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** {@code sluice bench sim}: simulated data segments per second of wall time. */
@Command(
        name = "sim",
        description = {
            "Measures how many data segments the simulator delivers per second of wall time.",
            "Three bulk transfers with CUBIC and MSS 1448: two hosts at 10 Gbit/s and 1 ms, ten",
            "pairs of hosts on one such link, and two hosts at 100 Mbit/s and 50 ms. All are",
            "warmed up first, so that compiled code is measured; the median of the runs counts."
        })
final class BenchSimCommand implements Callable<Integer> {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MIB = 1 << 20;

    @Spec private CommandSpec spec;

    @Option(
            names = "--seconds",
            defaultValue = "2",
            description =
                    "Wall time of a run and of a warm-up, at least (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--runs",
            defaultValue = "3",
            description = "Measured runs of each case (default: ${DEFAULT-VALUE}).")
    private int runs;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "Seed of the first run (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--profile",
            description = "Also says in which methods the time of the measured runs went.")
    private boolean profile;

    @Option(names = "--json", description = "Prints one JSON document instead.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (!(seconds > 0 && seconds <= 3600) || runs < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--seconds lies above 0 and up to 3600, --runs is 1 or more");
        }
        PrintWriter out = spec.commandLine().getOut();
        SpeedMeter meter = new SpeedMeter((long) (seconds * NANOS_PER_SECOND), runs, seed);
        long warmUpNanos = meter.warmUp();
        if (!json) {
            printHead(warmUpNanos, out);
        }
        List<SpeedMeter.Result> results = new ArrayList<>();
        try (SampleProfile samples = profile ? new SampleProfile() : null) {
            for (SpeedCase each : SpeedCase.values()) {
                SpeedMeter.Result result = meter.measure(each);
                results.add(result);
                if (!json) {
                    print(result, out);
                    out.flush();
                }
            }
            List<String> hottest = samples == null ? List.of() : samples.hottest();
            if (json) {
                printJson(warmUpNanos, results, hottest, out);
            } else {
                hottest.forEach(line -> out.println("  " + line));
                out.println(
                        "bench sim: %d %d %d segments/s"
                                .formatted(
                                        results.stream().map(SpeedMeter.Result::rate).toArray()));
            }
        }
        return ExitCode.OK;
    }

    private void printHead(long warmUpNanos, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "After %.1f s of warm-up of all cases: median of %d runs (least to most), seed"
                        + " %d%n",
                warmUpNanos / NANOS_PER_SECOND,
                runs,
                seed);
        out.printf(
                "%-16s %10s %7s %28s %15s %10s %8s %9s %8s%n",
                "case",
                "virtual s",
                "wall s",
                "segments/s",
                "segments/cpu s",
                "events/s",
                "Mbit/s",
                "heap MiB",
                "RSS MiB");
    }

    private static void print(SpeedMeter.Result result, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%-16s %10.2f %7.2f %28s %15d %10d %8d %9.1f %8.1f%n",
                name(result.speedCase()),
                result.virtualNanos() / NANOS_PER_SECOND,
                result.wallNanos() / NANOS_PER_SECOND,
                "%d (%d to %d)".formatted(result.rate(), result.slowest(), result.fastest()),
                result.processorRate(),
                result.eventRate(),
                result.bitsPerSecond() / 1_000_000,
                result.peakHeapBytes() / BYTES_PER_MIB,
                result.peakResidentBytes() / BYTES_PER_MIB);
    }

    private static String name(SpeedCase speedCase) {
        return speedCase.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private void printJson(
            long warmUpNanos,
            List<SpeedMeter.Result> results,
            List<String> hottest,
            PrintWriter out)
            throws IOException {
        try (JsonGenerator generator = Json.generator(out)) {
            generator.writeStartObject();
            generator.writeNumberField("seed", seed);
            generator.writeNumberField("runs", runs);
            generator.writeNumberField("warmUpNanos", warmUpNanos);
            generator.writeArrayFieldStart("cases");
            for (SpeedMeter.Result result : results) {
                generator.writeStartObject();
                generator.writeStringField("case", name(result.speedCase()));
                generator.writeNumberField("segmentsPerSecond", result.rate());
                generator.writeNumberField("slowest", result.slowest());
                generator.writeNumberField("fastest", result.fastest());
                generator.writeNumberField("eventsPerSecond", result.eventRate());
                generator.writeNumberField("virtualNanos", result.virtualNanos());
                generator.writeNumberField("wallNanos", result.wallNanos());
                generator.writeNumberField("segmentsPerProcessorSecond", result.processorRate());
                generator.writeNumberField("bitsPerSecond", result.bitsPerSecond());
                generator.writeNumberField("peakHeapBytes", result.peakHeapBytes());
                generator.writeNumberField("peakResidentBytes", result.peakResidentBytes());
                generator.writeEndObject();
            }
            generator.writeEndArray();
            generator.writeArrayFieldStart("hottest");
            for (String line : hottest) {
                generator.writeString(line);
            }
            generator.writeEndArray();
            generator.writeEndObject();
        }
        out.println();
    }
}
