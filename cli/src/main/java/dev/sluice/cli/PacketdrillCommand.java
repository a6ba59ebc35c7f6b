package dev.sluice.cli;

import dev.sluice.lab.packetdrill.Captures;
import dev.sluice.lab.packetdrill.ConformanceReport;
import dev.sluice.lab.packetdrill.Packetdrill;
import dev.sluice.lab.packetdrill.Personality;
import dev.sluice.lab.packetdrill.ResultTable;
import dev.sluice.lab.packetdrill.ScriptFlags;
import dev.sluice.lab.packetdrill.ScriptResult;
import dev.sluice.lab.packetdrill.Tolerance;
import dev.sluice.lab.packetdrill.Verdict;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;

/** {@code sluice packetdrill}: runs packetdrill scripts against the stack in virtual time. */
@Command(
        name = "packetdrill",
        description = {
            "Runs packetdrill scripts against the stack, in virtual time and without privileges.",
            "Flags that a script sets itself win over those given here.",
            "The last line counts verdicts; a script passes only if all it demands happened."
        })
final class PacketdrillCommand implements Callable<Integer> {
    /** With this MTU the public suites are run over IPv6, so that their segment sizes hold. */
    private static final int SUITE_MTU_IPV6 = 1520;

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "PATH",
            arity = "1..*",
            description = "A script, or a directory to run all *.pkt files below it.")
    private List<Path> paths = List.of();

    @Option(names = "--strict", description = "Allows 1 ms and 0 %% whatever the script says.")
    private boolean strict;

    @Option(
            names = "--personality",
            paramLabel = "NAME",
            defaultValue = "linux",
            description = "linux or freebsd: whose defaults to start from. Default: linux.")
    private Personality personality = Personality.LINUX;

    @Option(
            names = "--ip-version",
            paramLabel = "VERSION",
            defaultValue = "ipv4",
            description = "ipv4, ipv6 or ipv4-mapped-ipv6. Default: ipv4.")
    private String ipVersion = "ipv4";

    @Option(names = "--local-ip", paramLabel = "ADDRESS", description = "Address of the stack.")
    private String localIp;

    @Option(names = "--remote-ip", paramLabel = "ADDRESS", description = "Address of the peer.")
    private String remoteIp;

    @Option(names = "--mtu", paramLabel = "BYTES", description = "MTU of the device.")
    private Integer mtu;

    @Option(
            names = "--tolerance-usecs",
            paramLabel = "N",
            description = "Microseconds an event may be off. Default: 4000.")
    private Long toleranceMicros;

    @Option(
            names = {"-D", "--define"},
            paramLabel = "NAME=VALUE",
            description = "Replaces a word in scripts.")
    private Map<String, String> definitions = new LinkedHashMap<>();

    @Option(names = "--tsv", paramLabel = "FILE", description = "Writes the results as a table.")
    private Path tsv;

    @Option(
            names = "--junit",
            paramLabel = "FILE",
            description = "Writes the results as JUnit XML.")
    private Path junit;

    @Option(
            names = "--captures",
            paramLabel = "DIR",
            description = "Writes a pcapng for every script that does not pass.")
    private Path captures;

    @Option(
            names = "--replay",
            paramLabel = "CAPTURE",
            description = {
                "Checks the one PATH against a capture of another system that ran it:",
                "packets and their times only."
            })
    private Path replay;

    @Option(
            names = "--fact",
            paramLabel = "NAME=VALUE",
            description = "Noted in the table: suite=…, commit=….")
    private Map<String, String> facts = new LinkedHashMap<>();

    @Option(
            names = "--report",
            description = "Prints the document of conformance; each PATH is a table from --tsv.")
    private boolean report;

    @Option(
            names = {"-q", "--quiet"},
            description = "Prints one line for each script that does not pass, without details.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        requirePresent();
        if (report) {
            out.print(ConformanceReport.markdown(readAll()));
            return ExitCode.OK;
        }
        Packetdrill packetdrill =
                new Packetdrill(
                        new Packetdrill.Settings(flags(), definitions, personality, strict));
        List<ScriptResult> results = new ArrayList<>();
        for (Path path : paths) {
            if (replay != null) {
                ScriptResult result = packetdrill.replay(path, replay);
                print(out, result);
                results.add(result);
            } else {
                results.addAll(packetdrill.runAll(path, result -> print(out, result)));
            }
        }
        if (results.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "there is no *.pkt file below " + paths.getFirst());
        }
        if (captures != null) {
            writeCaptures(out, results);
        }
        ResultTable table = new ResultTable(results);
        if (tsv != null) {
            Files.writeString(tsv, table.toTsv(facts));
        }
        if (junit != null) {
            Files.writeString(junit, table.toJunitXml());
        }
        table.summaryByArea().forEach(out::println);
        out.println(table.totals());
        return table.allPassed() ? ExitCode.OK : ExitCode.MISSED;
    }

    private void writeCaptures(PrintWriter out, List<ScriptResult> results) throws IOException {
        for (ScriptResult result : results) {
            if (result.verdict() == Verdict.PASSED || result.capture().isEmpty()) {
                continue;
            }
            String name = Path.of(result.name()).getFileName().toString();
            Path file =
                    captures.resolve(result.area())
                            .resolve(name.replaceAll("\\.pkt$", "") + ".pcapng");
            Captures.write(result, file);
            out.println("capture of " + result.name() + ": " + file);
        }
    }

    private void requirePresent() {
        if (replay != null && paths.size() != 1) {
            throw new ParameterException(spec.commandLine(), "--replay takes one script");
        }
        for (Path path : paths) {
            if (!Files.exists(path)) {
                throw new ParameterException(spec.commandLine(), path + " does not exist");
            }
        }
    }

    private List<String> readAll() throws IOException {
        List<String> tables = new ArrayList<>();
        for (Path path : paths) {
            tables.add(Files.readString(path));
        }
        return tables;
    }

    private void print(PrintWriter out, ScriptResult result) {
        if (result.verdict() == Verdict.PASSED) {
            return;
        }
        out.println(result.verdict().word() + " " + result.headline());
        if (!quiet) {
            result.details().forEach(line -> out.println("    " + line));
        }
        out.flush();
    }

    private ScriptFlags flags() {
        ScriptFlags base = ScriptFlags.DEFAULT;
        ScriptFlags.IpVersion version = version();
        boolean ipv6 = version == ScriptFlags.IpVersion.IPV6;
        OptionalInt bytes =
                mtu != null
                        ? OptionalInt.of(mtu)
                        : ipv6 ? OptionalInt.of(SUITE_MTU_IPV6) : OptionalInt.empty();
        Tolerance tolerance =
                toleranceMicros == null
                        ? base.tolerance()
                        : new Tolerance(toleranceMicros * 1_000L, base.tolerance().perMille());
        return new ScriptFlags(
                tolerance,
                version,
                Optional.ofNullable(localIp),
                Optional.ofNullable(remoteIp),
                base.bindPort(),
                base.connectPort(),
                bytes,
                base.injectedMss(),
                base.timestampTickMicros(),
                base.scaledEchoReply(),
                base.strictSegments(),
                base.nonFatal(),
                base.checksWindows());
    }

    private ScriptFlags.IpVersion version() {
        for (ScriptFlags.IpVersion version : ScriptFlags.IpVersion.values()) {
            if (version.word().equals(ipVersion)) {
                return version;
            }
        }
        throw new ParameterException(
                spec.commandLine(), "--ip-version is ipv4, ipv6 or ipv4-mapped-ipv6");
    }
}
