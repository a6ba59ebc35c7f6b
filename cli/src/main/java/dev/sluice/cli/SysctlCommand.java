package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonGenerator;

import dev.sluice.config.Sysctl;
import dev.sluice.config.SysctlException;
import dev.sluice.config.Sysctls;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * {@code sluice sysctl}: prints the table of configuration keys, or what it says about some of
 * them.
 */
@Command(
        name = "sysctl",
        description = {
            "Prints configuration keys with their default values.",
            "Without a key: all of them, one 'key = value' a line.",
            "With keys: also type, unit, what is allowed, and what the key is for."
        })
final class SysctlCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "KEY",
            arity = "0..*",
            description = "A key: net.ipv4.tcp_sack, tcp_sack or /proc/sys/net/ipv4/tcp_sack.",
            completionCandidates = Keys.class)
    private List<String> names = List.of();

    @Option(
            names = {"-a", "--all"},
            description = "All keys, as without any argument.")
    private boolean all;

    @Option(names = "--json", description = "Prints an array of objects, one for each key.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (all && !names.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "give --all or keys, not both");
        }
        List<Sysctl> keys = names.isEmpty() ? List.of(Sysctl.values()) : find(names);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            printJson(keys, out);
        } else if (names.isEmpty()) {
            keys.forEach(k -> out.println(k.key() + " = " + k.defaultText()));
        } else {
            keys.forEach(k -> print(k, out));
        }
        return ExitCode.OK;
    }

    /** All or none: a misspelt key is told before anything is printed. */
    private List<Sysctl> find(List<String> names) {
        List<Sysctl> keys = new ArrayList<>();
        for (String name : names) {
            try {
                keys.add(Sysctls.find(name));
            } catch (SysctlException e) {
                throw new ParameterException(spec.commandLine(), e.getMessage(), e);
            }
        }
        return keys;
    }

    private static void print(Sysctl key, PrintWriter out) {
        String unit = key.unit().isEmpty() ? "" : " " + key.unit();
        out.println(key.key() + " = " + key.defaultText());
        out.println("    " + key.meaning());
        out.println("    " + key.kind() + unit + "; allowed: " + key.allowed());
    }

    private static void printJson(List<Sysctl> keys, PrintWriter out) throws IOException {
        try (JsonGenerator generator = Json.generator(out)) {
            generator.writeStartArray();
            for (Sysctl key : keys) {
                generator.writeStartObject();
                generator.writeStringField("key", key.key());
                generator.writeStringField("default", key.defaultText());
                generator.writeStringField("type", key.kind());
                generator.writeStringField("unit", key.unit());
                generator.writeStringField("allowed", key.allowed());
                generator.writeStringField("meaning", key.meaning());
                generator.writeEndObject();
            }
            generator.writeEndArray();
        }
        out.println();
    }

    /** The keys, for completion by the shell. */
    static final class Keys implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Sysctl.values()).map(Sysctl::key).iterator();
        }
    }
}
