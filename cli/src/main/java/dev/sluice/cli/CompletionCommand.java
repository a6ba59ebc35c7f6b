package dev.sluice.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/** {@code sluice completion}: prints the completion script of a shell. */
@Command(
        name = "completion",
        description = {
            "Prints a completion script for the shell.",
            "In bash: source <(./sluice completion bash)",
            "In zsh, after 'autoload -U bashcompinit && bashcompinit', the same with zsh."
        })
final class CompletionCommand implements Callable<Integer> {
    /** Shells for which there is a script. */
    enum Shell {
        BASH,
        ZSH
    }

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash or zsh: one script serves both.")
    private Shell shell;

    @Override
    public Integer call() {
        var root = spec.root();
        spec.commandLine().getOut().print(AutoComplete.bash(root.name(), root.commandLine()));
        return ExitCode.OK;
    }
}
