package dev.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/**
 * {@code sluice example}. The launcher runs the programs of {@code examples}, which need libraries
 * that this command has no use for; what is left here is the help.
 */
@Command(
        name = "example",
        description = {
            "Runs a server of the directory examples on Sluice's TCP.",
            "On a cable, two stacks in one JVM, it is visited once and ends; on a TUN device, which"
                    + " takes root, it serves until it is interrupted."
        })
final class ExampleCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "NAME",
            arity = "0..1",
            description = "tomcat, netty or sockets.")
    private String name;

    @Parameters(
            index = "1",
            paramLabel = "WHERE",
            arity = "0..1",
            description = "cable, which is the default, or tun.")
    private String where;

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(),
                "is done by the launcher: call ./sluice example"
                        + (name == null ? "" : " " + name)
                        + (where == null ? "" : " " + where)
                        + " in a checkout of the sources");
    }
}
