package dev.sluice.lab.packetdrill;

import java.util.List;
import java.util.Optional;

/**
 * A parsed script.
 *
 * @param name file name as given
 * @param options {@code --flag=value} lines in order
 * @param init back-quoted command before the first event
 * @param steps the events in order
 * @param cleanup back-quoted command after the last event
 * @param undefinedNames words that stand where a value must stand and for which no {@code -D
 *     NAME=value} was given; a script that has any cannot run
 */
public record Script(
        String name,
        List<Option> options,
        Optional<Step.ShellText> init,
        List<Step> steps,
        Optional<Step.ShellText> cleanup,
        List<UndefinedName> undefinedNames) {
    public Script {
        options = List.copyOf(options);
        steps = List.copyOf(steps);
        undefinedNames = List.copyOf(undefinedNames);
    }

    /** One {@code --name} or {@code --name=value}; the value is empty where there is none. */
    public record Option(Position position, String name, String value) {}

    /** A word for which a definition is missing. */
    public record UndefinedName(Position position, String name) {}
}
