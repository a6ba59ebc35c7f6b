package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads a script: options, init command, events, cleanup command.
 *
 * <p>The language is that of google/packetdrill plus what the FreeBSD suite adds to it: conditional
 * lines, UDP encapsulation, sequence numbers left open or absolute. It is parsed by recursive
 * descent straight from the characters, because its words change their meaning with their place
 * (see {@link Cursor}).
 */
public final class ScriptParser {
    private final Cursor cursor;
    private final PacketParser packets;
    private final ExpressionParser expressions;
    private final String name;

    private ScriptParser(Source source, Map<String, String> definitions) {
        this.name = source.name();
        this.cursor = new Cursor(source, definitions);
        this.packets = new PacketParser(cursor);
        this.expressions = new ExpressionParser(cursor);
    }

    /**
     * Parses one script.
     *
     * @param name file name for positions
     * @param text the script
     * @param definitions {@code -D} definitions of the command line; those in the script's own
     *     {@code --define} lines take precedence
     * @throws ScriptSyntaxException at the first character that does not fit
     */
    public static Script parse(String name, String text, Map<String, String> definitions) {
        Map<String, String> all = new HashMap<>(definitions);
        Source source = Conditionals.apply(new Source(name, text), all.keySet());
        return new ScriptParser(source, all).script(all);
    }

    private Script script(Map<String, String> definitions) {
        List<Script.Option> options = new ArrayList<>();
        while (cursor.lookingAt("--") || cursor.lookingAt("-D")) {
            options.add(option(definitions));
        }
        Optional<Step.ShellText> init = Optional.empty();
        if (cursor.peek() == '`') {
            init = Optional.of(shellText());
        }
        List<Step> steps = new ArrayList<>();
        Optional<Step.ShellText> cleanup = Optional.empty();
        while (!cursor.atEnd()) {
            if (cursor.peek() == '`') {
                cleanup = Optional.of(shellText());
                if (!cursor.atEnd()) {
                    throw cursor.expected("the end of the script after the cleanup command");
                }
            } else {
                steps.add(step());
            }
        }
        if (steps.isEmpty()) {
            throw cursor.expected("an event");
        }
        return new Script(name, options, init, steps, cleanup, cursor.undefinedNames());
    }

    private Script.Option option(Map<String, String> definitions) {
        Position position = cursor.position();
        String flag;
        String value = "";
        if (cursor.accept("-D")) {
            flag = "define";
            cursor.skipBlank();
            value = cursor.shellWord();
        } else {
            cursor.advance(2);
            flag = cursor.word("the name of an option");
            if (cursor.raw(0) == '=') {
                cursor.advance(1);
                value = cursor.shellWord();
            }
        }
        if (flag.equals("define")) {
            int equals = value.indexOf('=');
            if (equals <= 0) {
                throw ScriptSyntaxException.expected(
                        position, "NAME=value in a definition", "'" + value + "'");
            }
            definitions.put(value.substring(0, equals), value.substring(equals + 1));
        }
        return new Script.Option(position, flag, value);
    }

    private Step.ShellText shellText() {
        cursor.skipBlank();
        Position inside = cursor.positionAt(cursor.offset() + 1);
        return new Step.ShellText(inside, cursor.between("`", "`"));
    }

    private Step step() {
        Position position = cursor.position();
        TimeSpec time = time();
        char next = cursor.peek();
        boolean exact = time instanceof TimeSpec.Absolute || time instanceof TimeSpec.Relative;
        if (next == '>') {
            return new Step.Expect(position, time, packets.packet(false));
        }
        if (!exact) {
            throw cursor.expected("'>', as only outbound packets may have a range of times");
        }
        if (next == '<') {
            return new Step.Inject(position, time, packets.packet(true));
        }
        if (next == '`') {
            return new Step.Command(position, time, shellText());
        }
        if (cursor.lookingAt("%{")) {
            Position inside = cursor.positionAt(cursor.offset() + 2);
            return new Step.Code(
                    position, time, new Step.CodeText(inside, cursor.between("%{", "}%")));
        }
        if (cursor.lookingAtWordStart() || cursor.lookingAt("...")) {
            return callOrDefinedCommand(position, time);
        }
        throw cursor.expected("'<', '>', a call, `command` or %{ code }% after the time");
    }

    private TimeSpec time() {
        if (cursor.accept("*")) {
            return new TimeSpec.AnyTime();
        }
        boolean relative = cursor.accept("+");
        long from = cursor.seconds("a time");
        if (!cursor.accept("~")) {
            return relative ? new TimeSpec.Relative(from) : new TimeSpec.Absolute(from);
        }
        if (relative) {
            cursor.require("+", "'+' and the end of a relative range");
        }
        Position second = cursor.position();
        long to = cursor.seconds("the end of a range of times");
        if (to < from) {
            throw ScriptSyntaxException.expected(
                    second, "a range that does not end before it begins", "an earlier time");
        }
        return relative
                ? new TimeSpec.RelativeRange(from, to)
                : new TimeSpec.AbsoluteRange(from, to);
    }

    private Step callOrDefinedCommand(Position position, TimeSpec time) {
        OptionalLong end = OptionalLong.empty();
        if (cursor.accept("...")) {
            Position second = cursor.position();
            long endNanos = cursor.seconds("the time at which the call must return");
            long start =
                    time instanceof TimeSpec.Relative relative
                            ? relative.nanos()
                            : ((TimeSpec.Absolute) time).nanos();
            if (endNanos < start) {
                throw ScriptSyntaxException.expected(
                        second, "a call that does not return before it begins", "an earlier time");
            }
            end = OptionalLong.of(endNanos);
        }
        Position at = cursor.position();
        String function = cursor.word("the name of a call");
        if (end.isEmpty() && cursor.isDefined(function) && !cursor.lookingAt("(")) {
            return new Step.Command(
                    position, time, new Step.ShellText(at, cursor.define(function)));
        }
        cursor.require("(", "'(' after the name of the call");
        List<Expression> arguments = expressions.listUntil(")");
        cursor.require("=", "'=' and the result of the call");
        Expression result = expressions.expression();
        Optional<String> errno = Optional.empty();
        if (cursor.lookingAtWordStart()) {
            errno = Optional.of(cursor.define(cursor.word("the name of an error")));
        }
        note();
        return new Step.Call(position, time, end, function, arguments, result, errno);
    }

    /** A remark in parentheses after a result; it has no meaning. */
    private void note() {
        if (!cursor.lookingAt("(")) {
            return;
        }
        cursor.between("(", ")");
    }
}
