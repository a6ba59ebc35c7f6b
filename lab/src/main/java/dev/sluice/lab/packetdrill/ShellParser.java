package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits shell text into pipelines of words. Covers what scripts use: quotes, comments, continued
 * lines, pipes, {@code ;}, {@code &&}, {@code ||}, redirections and integer arithmetic in {@code
 * $((…))}.
 */
final class ShellParser {
    /** What joins a pipeline to the one before it. */
    enum Connector {
        /** A new line, {@code ;} or {@code &&}. */
        THEN,
        /** {@code ||}. */
        OR_ELSE
    }

    /**
     * One simple command.
     *
     * @param words the command and its arguments, without quotes
     * @param output file its output goes to, or an empty string
     */
    record SimpleCommand(List<String> words, String output) {
        SimpleCommand {
            words = List.copyOf(words);
        }
    }

    /** Commands joined by pipes. */
    record Pipeline(
            Position position, Connector connector, List<SimpleCommand> commands, String text) {
        Pipeline {
            commands = List.copyOf(commands);
        }
    }

    private final String text;
    private final Position start;
    private int at;
    private int pipelineStart;
    private List<String> words = new ArrayList<>();
    private String output = "";
    private List<SimpleCommand> commands = new ArrayList<>();
    private Connector connector = Connector.THEN;
    private final List<Pipeline> pipelines = new ArrayList<>();

    private ShellParser(Step.ShellText shell) {
        this.text = shell.text();
        this.start = shell.position();
    }

    static List<Pipeline> parse(Step.ShellText shell) {
        ShellParser parser = new ShellParser(shell);
        parser.run();
        return parser.pipelines;
    }

    /** The place of a character of the text. */
    private Position positionOf(int offset) {
        int line = start.line();
        int column = start.column() + offset;
        for (int i = 0; i < offset; i++) {
            if (text.charAt(i) == '\n') {
                line++;
                column = offset - i;
            }
        }
        return new Position(start.file(), line, column);
    }

    private void run() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\n' || c == ';') {
                endPipeline(Connector.THEN);
                at++;
            } else if (c == '\\' && at + 1 < text.length() && text.charAt(at + 1) == '\n') {
                at += 2;
            } else if (Character.isWhitespace(c)) {
                at++;
            } else if (c == '#') {
                skipComment();
            } else if (text.startsWith("||", at)) {
                endPipeline(Connector.OR_ELSE);
                at += 2;
            } else if (text.startsWith("&&", at)) {
                endPipeline(Connector.THEN);
                at += 2;
            } else if (c == '|') {
                endCommand();
                at++;
            } else if (!redirection()) {
                beginWord();
            }
        }
        endPipeline(Connector.THEN);
    }

    private void skipComment() {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
    }

    private void beginWord() {
        if (words.isEmpty() && commands.isEmpty()) {
            pipelineStart = at;
        }
        words.add(word());
    }

    /**
     * {@code >file}, {@code 2>file}, {@code &>file}, {@code 2>&1}; only the first is of interest.
     */
    private boolean redirection() {
        int skip = 0;
        char c = text.charAt(at);
        boolean diverted = (c == '2' || c == '1' || c == '&') && text.startsWith(">", at + 1);
        if (diverted) {
            skip = 1;
        }
        if (!text.startsWith(">", at + skip)) {
            return false;
        }
        at += skip + 1;
        if (text.startsWith("&", at)) {
            at += 2;
            return true;
        }
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
        String file = word();
        if (!diverted || c != '2') {
            output = file;
        }
        return true;
    }

    private String word() {
        StringBuilder value = new StringBuilder();
        char quote = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (quote == 0 && (Character.isWhitespace(c) || ";|>".indexOf(c) >= 0)) {
                break;
            }
            if (c == '\\' && at + 1 < text.length() && quote != '\'') {
                if (quote == 0 && text.charAt(at + 1) == '\n') {
                    break;
                }
                value.append(text.charAt(at + 1));
                at += 2;
            } else if (c == quote) {
                quote = 0;
                at++;
            } else if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
                at++;
            } else if (quote != '\'' && text.startsWith("$((", at)) {
                value.append(arithmetic());
            } else {
                value.append(c);
                at++;
            }
        }
        return value.toString();
    }

    /** Products and sums of integers between {@code $((} and {@code ))}. */
    private long arithmetic() {
        int end = text.indexOf("))", at);
        if (end < 0) {
            throw ScriptSyntaxException.expected(
                    positionOf(at), ")) to end this arithmetic", "the end of the command");
        }
        long sum = 0;
        for (String term : text.substring(at + 3, end).split("\\+")) {
            long product = 1;
            for (String factor : term.split("\\*")) {
                long value = Cursor.parseUnsigned(factor.strip());
                if (value < 0) {
                    throw ScriptSyntaxException.expected(
                            positionOf(at), "integers, * and + only", "'" + factor.strip() + "'");
                }
                product *= value;
            }
            sum += product;
        }
        at = end + 2;
        return sum;
    }

    private void endCommand() {
        if (!words.isEmpty()) {
            commands.add(new SimpleCommand(words, output));
            words = new ArrayList<>();
        }
        output = "";
    }

    private void endPipeline(Connector next) {
        endCommand();
        if (!commands.isEmpty()) {
            String whole = text.substring(pipelineStart, at).strip();
            pipelines.add(new Pipeline(positionOf(pipelineStart), connector, commands, whole));
            commands = new ArrayList<>();
            connector = next;
        } else if (next == Connector.OR_ELSE) {
            throw ScriptSyntaxException.expected(positionOf(at), "a command before ||", "none");
        }
    }
}
