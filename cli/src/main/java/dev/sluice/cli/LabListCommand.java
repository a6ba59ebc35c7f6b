package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonGenerator;

import dev.sluice.lab.scenario.Scenario;
import dev.sluice.lab.scenario.Scenarios;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** {@code sluice lab list}: names the scenarios. */
@Command(name = "list", description = "Names the scenarios, one a line.")
final class LabListCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(names = "--json", description = "Prints an array of objects, one for each scenario.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            printJson(out);
        } else {
            print(out);
        }
        return ExitCode.OK;
    }

    static void print(PrintWriter out) {
        for (Scenario scenario : Scenarios.all()) {
            out.printf("%-14s %s (%s)%n", scenario.name(), scenario.summary(), scenario.network());
        }
    }

    private static void printJson(PrintWriter out) throws IOException {
        try (JsonGenerator generator = Json.generator(out)) {
            generator.writeStartArray();
            for (Scenario scenario : Scenarios.all()) {
                generator.writeStartObject();
                generator.writeStringField("name", scenario.name());
                generator.writeStringField("summary", scenario.summary());
                generator.writeStringField("network", scenario.network());
                generator.writeEndObject();
            }
            generator.writeEndArray();
        }
        out.println();
    }
}
