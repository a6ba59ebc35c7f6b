package dev.sluice.cli;

import dev.sluice.runtime.monitor.SocketListing;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code sluice ss}: the TCP sockets of live stacks, as ss prints them. */
@Command(
        name = "ss",
        description = {
            "Lists the TCP sockets of live stacks in running JVMs, as ss does.",
            "Without options the connections, those in TIME-WAIT not among them."
        })
final class SsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "PID",
            arity = "0..*",
            description = "Processes to ask (default: all with a live stack).")
    private List<Long> pids = List.of();

    @Option(
            names = {"-t", "--tcp"},
            description = "TCP sockets; there is nothing else to list.")
    private boolean tcp;

    @Option(
            names = {"-i", "--info"},
            description = "What is known of each connection, on a line of its own.")
    private boolean info;

    @Option(
            names = {"-l", "--listening"},
            description = "Listening sockets instead of connections.")
    private boolean listening;

    @Option(
            names = {"-a", "--all"},
            description = "Listening sockets, connections and TIME-WAIT.")
    private boolean all;

    @Option(
            names = {"-n", "--numeric"},
            description = "Rates in full. Addresses and ports are always numbers.")
    private boolean numeric;

    @Override
    public Integer call() {
        String options =
                (info ? "i" : "")
                        + (listening ? "l" : "")
                        + (all ? "a" : "")
                        + (numeric ? "n" : "");
        try (JvmStacks stacks = JvmStacks.find(pids)) {
            PrintWriter out = spec.commandLine().getOut();
            boolean several = stacks.all().size() > 1;
            if (!stacks.all().isEmpty()) {
                out.print(SocketListing.header());
            }
            for (JvmStacks.Found found : stacks.all()) {
                if (several) {
                    out.println("#" + found.pid() + " " + found.stack().getName());
                }
                out.print(found.stack().sockets(options));
            }
            PrintWriter err = spec.commandLine().getErr();
            stacks.failures().forEach(f -> err.println(spec.qualifiedName() + ": " + f));
            return stacks.failures().isEmpty() ? ExitCode.OK : ExitCode.USAGE;
        }
    }
}
