package dev.sluice.cli;

import dev.sluice.lab.load.LatencyRecorder;
import dev.sluice.lab.load.LatencyTable;
import dev.sluice.lab.scenario.Endpoint;
import dev.sluice.lab.scenario.Outcome;
import dev.sluice.lab.scenario.Scenario;
import dev.sluice.lab.scenario.Unit;
import dev.sluice.lab.scenario.Verdict;
import dev.sluice.lab.scenario.Workload;
import dev.sluice.trace.Counter;

import java.io.PrintWriter;
import java.nio.file.Path;

/** The report of one run for people. */
final class OutcomeText {
    private OutcomeText() {}

    static void print(Outcome outcome, boolean spectrum, PrintWriter out) {
        Scenario scenario = outcome.scenario();
        out.println(
                "%s, seed %d: %s (%s)"
                        .formatted(
                                scenario.name(),
                                outcome.seed(),
                                scenario.summary(),
                                scenario.network()));
        printLatency(outcome, spectrum, out);
        printCounters(outcome, out);
        for (Path capture : outcome.captures()) {
            out.println("  capture: " + capture);
        }
        for (Verdict verdict : outcome.verdicts()) {
            print(verdict, out);
        }
        if (outcome.violation() != null) {
            out.println("  checker: " + outcome.violation());
        }
        out.println();
    }

    private static void printLatency(Outcome outcome, boolean spectrum, PrintWriter out) {
        LatencyRecorder recorder = outcome.histogram();
        String what =
                switch (outcome.scenario().workload()) {
                    case Workload.Bulk bulk ->
                            "blocks of " + bulk.blockBytes() + " bytes, from write to read";
                    case Workload.Exchanges _ -> "exchanges, from request to response";
                };
        out.println(
                "  %d %s, in %s of virtual time, %s of payload"
                        .formatted(
                                recorder.count(),
                                what,
                                Unit.NANOSECONDS.text(outcome.busyNanos()),
                                Unit.BITS_PER_SECOND.text(outcome.goodputBitsPerSecond())));
        LatencyTable.lines(recorder).forEach(out::println);
        if (spectrum) {
            out.println();
            LatencyTable.spectrum(recorder).forEach(out::println);
        }
    }

    /** The counters that moved on either host, as nstat names them. */
    private static void printCounters(Outcome outcome, PrintWriter out) {
        out.printf("  %-32s %10s %10s%n", "counter", "client", "server");
        for (Counter counter : Counter.values()) {
            long client = outcome.counter(Endpoint.CLIENT, counter);
            long server = outcome.counter(Endpoint.SERVER, counter);
            if (client != 0 || server != 0) {
                out.printf("  %-32s %10d %10d%n", counter.nstatName(), client, server);
            }
        }
    }

    private static void print(Verdict verdict, PrintWriter out) {
        out.println(
                "  %-6s %s: expected %s, measured %s"
                        .formatted(
                                verdict.held() ? "held" : "missed",
                                verdict.expectation().measure().name(),
                                verdict.expectation().range(),
                                verdict.measuredText()));
        if (!verdict.held()) {
            out.println("         expected because " + verdict.expectation().reason());
        }
    }
}
