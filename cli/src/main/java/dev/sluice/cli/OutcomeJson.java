package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonGenerator;

import dev.sluice.lab.load.LatencyRecorder;
import dev.sluice.lab.scenario.Endpoint;
import dev.sluice.lab.scenario.Expectation;
import dev.sluice.lab.scenario.Outcome;
import dev.sluice.lab.scenario.Verdict;
import dev.sluice.trace.Counter;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** The report of one run for programs. Times are nanoseconds of virtual time. */
final class OutcomeJson {
    private static final double[] PERCENTILES = {50, 75, 90, 99, 99.9, 99.99, 99.999, 100};

    private OutcomeJson() {}

    static void write(Outcome outcome, JsonGenerator generator) throws IOException {
        generator.writeStartObject();
        generator.writeStringField("scenario", outcome.scenario().name());
        generator.writeNumberField("seed", outcome.seed());
        generator.writeStringField("summary", outcome.scenario().summary());
        generator.writeStringField("network", outcome.scenario().network());
        generator.writeNumberField("nanos", outcome.busyNanos());
        generator.writeNumberField("bitsPerSecond", outcome.goodputBitsPerSecond());
        writeLatency(outcome.histogram(), generator);
        generator.writeObjectFieldStart("counters");
        for (Endpoint host : Endpoint.values()) {
            writeCounters(outcome, host, generator);
        }
        generator.writeEndObject();
        generator.writeArrayFieldStart("captures");
        for (Path capture : outcome.captures()) {
            generator.writeString(capture.toString());
        }
        generator.writeEndArray();
        generator.writeArrayFieldStart("verdicts");
        for (Verdict verdict : outcome.verdicts()) {
            write(verdict, generator);
        }
        generator.writeEndArray();
        generator.writeStringField("violation", outcome.violation());
        generator.writeEndObject();
    }

    private static void writeLatency(LatencyRecorder recorder, JsonGenerator generator)
            throws IOException {
        generator.writeObjectFieldStart("latencyNanos");
        generator.writeNumberField("count", recorder.count());
        for (double percentile : PERCENTILES) {
            String name = String.format(Locale.ROOT, "%.3f", percentile);
            generator.writeNumberField(name, recorder.atPercentile(percentile));
        }
        generator.writeEndObject();
    }

    private static void writeCounters(Outcome outcome, Endpoint host, JsonGenerator generator)
            throws IOException {
        generator.writeObjectFieldStart(host.hostName());
        for (Counter counter : Counter.values()) {
            if (outcome.counter(host, counter) != 0) {
                generator.writeNumberField(counter.nstatName(), outcome.counter(host, counter));
            }
        }
        generator.writeEndObject();
    }

    private static void write(Verdict verdict, JsonGenerator generator) throws IOException {
        Expectation expectation = verdict.expectation();
        generator.writeStartObject();
        generator.writeStringField("measure", expectation.measure().name());
        generator.writeStringField(
                "unit", expectation.measure().unit().name().toLowerCase(Locale.ROOT));
        generator.writeNumberField("least", expectation.least());
        if (expectation.most() == Expectation.ANY) {
            generator.writeNullField("most");
        } else {
            generator.writeNumberField("most", expectation.most());
        }
        if (verdict.measured() == Long.MAX_VALUE) {
            generator.writeNullField("measured");
        } else {
            generator.writeNumberField("measured", verdict.measured());
        }
        generator.writeBooleanField("held", verdict.held());
        generator.writeStringField("reason", expectation.reason());
        generator.writeEndObject();
    }
}
