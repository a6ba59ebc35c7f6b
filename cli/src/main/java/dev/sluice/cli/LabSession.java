package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonGenerator;

import dev.sluice.lab.scenario.Outcome;
import dev.sluice.lab.scenario.Scenario;
import dev.sluice.lab.scenario.ScenarioRun;
import dev.sluice.lab.scenario.Verdict;

import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Runs scenarios one after the other, prints each, and sums up what held and what missed. */
final class LabSession {
    private final LabOptions options;
    private final CommandLine commandLine;
    private final PrintWriter out;
    private int held;
    private int missed;

    LabSession(LabOptions options, CommandLine commandLine) {
        this.options = options;
        this.commandLine = commandLine;
        out = commandLine.getOut();
    }

    /**
     * @return the exit status: {@link ExitCode#MISSED} if anything was not as expected
     */
    int run(List<Scenario> scenarios) throws IOException {
        List<Scenario> configured = options.applyTo(scenarios, commandLine);
        List<Outcome> outcomes = new ArrayList<>();
        for (Scenario scenario : configured) {
            Outcome outcome =
                    ScenarioRun.run(scenario, options.seed(), options.directory(scenario));
            outcomes.add(outcome);
            for (Verdict verdict : outcome.verdicts()) {
                held += verdict.held() ? 1 : 0;
                missed += verdict.held() ? 0 : 1;
            }
            if (!options.json()) {
                OutcomeText.print(outcome, options.latency(), out);
                out.flush();
            }
        }
        if (options.json()) {
            printJson(outcomes);
        } else {
            out.println("lab: " + held + " held, " + missed + " missed");
        }
        return missed == 0 ? ExitCode.OK : ExitCode.MISSED;
    }

    private void printJson(List<Outcome> outcomes) throws IOException {
        try (JsonGenerator generator = Json.generator(out)) {
            generator.writeStartObject();
            generator.writeArrayFieldStart("runs");
            for (Outcome outcome : outcomes) {
                OutcomeJson.write(outcome, generator);
            }
            generator.writeEndArray();
            generator.writeNumberField("held", held);
            generator.writeNumberField("missed", missed);
            generator.writeEndObject();
        }
        out.println();
    }
}
