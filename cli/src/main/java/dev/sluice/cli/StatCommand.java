package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonGenerator;

import dev.sluice.runtime.monitor.CounterListing;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** {@code sluice stat}: the counters of live stacks, as nstat prints them. */
@Command(
        name = "stat",
        description = {
            "Prints the counters of live stacks in running JVMs, as nstat does: name, value, rate.",
            "The values are those since the stack was made, or those of the next SECONDS."
        })
final class StatCommand implements Callable<Integer> {
    private static final double MOST_SECONDS = 86_400;

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "PID",
            arity = "0..*",
            description = "Processes to ask (default: all with a live stack).")
    private List<Long> pids = List.of();

    @Option(
            names = {"-z", "--zeros"},
            description = "Counters that are 0 too.")
    private boolean zeros;

    @Option(
            names = {"-d", "--during"},
            paramLabel = "SECONDS",
            description = "Waits so long, and prints what was counted meanwhile, with the rate.")
    private Double during;

    @Option(names = "--json", description = "The same as JSON.")
    private boolean json;

    private record Counted(JvmStacks.Found where, Map<String, Long> values, double seconds) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (during != null && !(during > 0 && during <= MOST_SECONDS)) {
            throw new ParameterException(
                    spec.commandLine(), "--during takes more than 0 and up to 86400 seconds");
        }
        try (JvmStacks stacks = JvmStacks.find(pids)) {
            List<Counted> counted = count(stacks.all());
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                printJson(counted, out);
            } else {
                counted.forEach(c -> print(c, out));
            }
            PrintWriter err = spec.commandLine().getErr();
            stacks.failures().forEach(f -> err.println(spec.qualifiedName() + ": " + f));
            return stacks.failures().isEmpty() ? ExitCode.OK : ExitCode.USAGE;
        }
    }

    private List<Counted> count(List<JvmStacks.Found> found) throws InterruptedException {
        List<Counted> counted = new ArrayList<>();
        for (JvmStacks.Found f : found) {
            counted.add(new Counted(f, f.stack().getCounters(), 0));
        }
        if (during == null || found.isEmpty()) {
            return counted;
        }
        Stopwatch watch = new Stopwatch();
        // Nobody gives a permit: it waits until the time is over or the command is interrupted.
        new Semaphore(0).tryAcquire((long) (during * 1e9), TimeUnit.NANOSECONDS);
        counted.replaceAll(
                c ->
                        new Counted(
                                c.where(),
                                CounterListing.difference(
                                        c.values(), c.where().stack().getCounters()),
                                watch.nanos() / 1e9));
        return counted;
    }

    private void print(Counted counted, PrintWriter out) {
        out.println("#" + counted.where().pid() + " " + counted.where().stack().getName());
        out.print(CounterListing.of(counted.values(), counted.seconds(), zeros));
    }

    private void printJson(List<Counted> all, PrintWriter out) throws IOException {
        try (JsonGenerator generator = Json.generator(out)) {
            generator.writeStartArray();
            for (Counted counted : all) {
                generator.writeStartObject();
                generator.writeNumberField("pid", counted.where().pid());
                generator.writeStringField("name", counted.where().stack().getName());
                generator.writeStringField("device", counted.where().stack().getDevice());
                if (counted.seconds() > 0) {
                    generator.writeNumberField("seconds", counted.seconds());
                }
                generator.writeObjectFieldStart("counters");
                for (Map.Entry<String, Long> value : counted.values().entrySet()) {
                    if (zeros || value.getValue() != 0) {
                        generator.writeNumberField(value.getKey(), value.getValue());
                    }
                }
                generator.writeEndObject();
                generator.writeEndObject();
            }
            generator.writeEndArray();
        }
        out.println();
    }
}
