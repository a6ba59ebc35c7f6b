package dev.sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.FileSystemException;
import java.util.Optional;

/**
 * The command {@code sluice}. It holds what all sub-commands share: help, version, exit codes and
 * the form of a usage error. Each sub-command is one class that parses, calls and prints.
 */
@Command(
        name = "sluice",
        description = "A TCP/IP stack that you can see inside.",
        subcommands = {
            LabCommand.class,
            ServeCommand.class,
            ExampleCommand.class,
            StatCommand.class,
            SsCommand.class,
            BenchCommand.class,
            PacketdrillCommand.class,
            SysctlCommand.class,
            TestCommand.class,
            RaceCommand.class,
            FormatCommand.class,
            CompletionCommand.class,
            CommandLine.HelpCommand.class
        },
        versionProvider = Sluice.Version.class,
        mixinStandardHelpOptions = true,
        scope = CommandLine.ScopeType.INHERIT,
        exitCodeOnInvalidInput = ExitCode.USAGE,
        exitCodeOnExecutionException = ExitCode.INTERNAL,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:everything asked for was done, and every check held",
            "1:a check missed: a scenario, a test or the format",
            "2:the command line was wrong, or something it needs is missing",
            "70:a fault of Sluice itself; its stack trace is on standard error"
        },
        synopsisSubcommandLabel = "COMMAND",
        optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n",
        usageHelpAutoWidth = true)
final class Sluice implements Runnable {
    @Spec private CommandSpec spec;

    public static void main(String[] args) {
        System.exit(run(args, new PrintWriter(System.out), new PrintWriter(System.err)));
    }

    /** Runs one command line and returns its exit status; nothing here ends the process. */
    static int run(String[] args, PrintWriter out, PrintWriter err) {
        CommandLine commandLine = commandLine().setOut(out).setErr(err);
        try {
            return commandLine.execute(args);
        } finally {
            out.flush();
            err.flush();
        }
    }

    static CommandLine commandLine() {
        return new CommandLine(new Sluice())
                .setParameterExceptionHandler(Sluice::explain)
                .setExecutionExceptionHandler(Sluice::explainFailure)
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** A file that cannot be read or written is the user's to mend; anything else is our fault. */
    private static int explainFailure(
            Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed)
            throws Exception {
        Throwable cause =
                failure instanceof UncheckedIOException unchecked ? unchecked.getCause() : failure;
        if (!(cause instanceof FileSystemException file)) {
            throw failure;
        }
        String reason = file.getReason() == null ? "no such file or directory" : file.getReason();
        commandLine.getErr().println("sluice: cannot use " + file.getFile() + ": " + reason);
        return ExitCode.USAGE;
    }

    /** Without a sub-command: the help text, as an error, so that a script notices. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a command");
    }

    private static int explain(ParameterException e, String[] args) {
        CommandLine at = e.getCommandLine();
        PrintWriter err = at.getErr();
        err.println(at.getCommandSpec().qualifiedName() + ": " + e.getMessage());
        if (!UnmatchedArgumentException.printSuggestions(e, err)) {
            err.println("Try '" + at.getCommandSpec().qualifiedName() + " --help'.");
        }
        return ExitCode.USAGE;
    }

    /** Prints the version that the build wrote into the module descriptor. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version =
                    Optional.ofNullable(Sluice.class.getModule().getDescriptor())
                            .flatMap(ModuleDescriptor::rawVersion)
                            .orElse("(version unknown: not run as a module)");
            return new String[] {
                "sluice " + version,
                "JDK " + Runtime.version() + ", " + System.getProperty("os.name")
            };
        }
    }
}
