package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.List;

/** Reads the arguments and results of socket calls. */
final class ExpressionParser {
    private final Cursor cursor;

    ExpressionParser(Cursor cursor) {
        this.cursor = cursor;
    }

    /** Expressions separated by commas up to {@code end}, which is consumed. */
    List<Expression> listUntil(String end) {
        List<Expression> elements = new ArrayList<>();
        if (cursor.accept(end)) {
            return elements;
        }
        do {
            elements.add(expression());
        } while (cursor.accept(","));
        cursor.require(end, "',' or '" + end + "'");
        return elements;
    }

    Expression expression() {
        Position position = cursor.position();
        Expression first = primary();
        if (!cursor.lookingAt("|")) {
            return first;
        }
        List<Expression> terms = new ArrayList<>();
        terms.add(first);
        while (cursor.accept("|")) {
            terms.add(primary());
        }
        return new Expression.Or(position, terms);
    }

    private Expression primary() {
        Position position = cursor.position();
        char next = cursor.peek();
        if (cursor.accept("...")) {
            return new Expression.Any(position);
        }
        if (Cursor.isDigit(next) || next == '-' || next == '+') {
            return number(position);
        }
        if (next == '"') {
            return text(position);
        }
        if (cursor.accept("[")) {
            return new Expression.Array(position, listUntil("]"));
        }
        if (cursor.accept("{")) {
            return new Expression.Struct(position, listUntil("}"));
        }
        if (cursor.lookingAtWordStart()) {
            return word(position);
        }
        throw cursor.expected("a number, word, string, '[', '{' or '...'");
    }

    private Expression number(Position position) {
        boolean negative = cursor.accept("-");
        if (!negative) {
            cursor.accept("+");
        }
        if (!Cursor.isDigit(cursor.raw(0))) {
            throw cursor.expected("digits");
        }
        int start = cursor.offset();
        String digits = cursor.run();
        Expression number = parse(position, digits, negative);
        if (number == null) {
            cursor.rewind(start);
            throw cursor.expected("a number of at most 64 bits");
        }
        return number;
    }

    private static Expression parse(Position position, String digits, boolean negative) {
        try {
            boolean hex = digits.startsWith("0x") || digits.startsWith("0X");
            long value;
            if (hex) {
                value = Long.parseUnsignedLong(digits.substring(2), 16);
            } else {
                value = Long.parseUnsignedLong(digits);
            }
            return new Expression.Number(position, negative ? -value : value, hex);
        } catch (NumberFormatException notANumber) {
            return null;
        }
    }

    /** Adjacent strings are one. */
    private Expression text(Position position) {
        StringBuilder value = new StringBuilder();
        while (cursor.peek() == '"') {
            quoted(value);
        }
        return new Expression.Text(position, value.toString(), cursor.accept("..."));
    }

    private void quoted(StringBuilder value) {
        Position open = cursor.position();
        cursor.advance(1);
        while (cursor.raw(0) != '"') {
            char c = cursor.raw(0);
            if (c == 0 || c == '\n') {
                throw ScriptSyntaxException.expected(
                        open, "'\"' to end this string", "the end of the line");
            }
            cursor.advance(1);
            value.append(c == '\\' ? escaped() : c);
        }
        cursor.advance(1);
    }

    private char escaped() {
        char c = cursor.raw(0);
        cursor.advance(1);
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case '0' -> '\0';
            case 'x' -> hexEscape();
            default -> c;
        };
    }

    private char hexEscape() {
        int high = Character.digit(cursor.raw(0), 16);
        int low = Character.digit(cursor.raw(1), 16);
        if (high < 0 || low < 0) {
            throw cursor.expected("two hexadecimal digits after \\x");
        }
        cursor.advance(2);
        return (char) (high << 4 | low);
    }

    private Expression word(Position position) {
        String written = cursor.word("a word");
        if (cursor.isDefined(written)) {
            return defined(position, cursor.define(written));
        }
        List<Expression> arguments = null;
        if (cursor.accept("(")) {
            arguments = listUntil(")");
        }
        if (cursor.lookingAt("=")) {
            cursor.require("=", "'='");
            List<Expression> size = arguments == null ? List.of() : arguments;
            return new Expression.Member(position, written, size, expression());
        }
        return arguments == null
                ? new Expression.Word(position, written)
                : new Expression.Function(position, written, arguments);
    }

    private static Expression defined(Position position, String value) {
        if (value.startsWith("\"") && value.endsWith("\"") && value.length() > 1) {
            return new Expression.Text(position, value.substring(1, value.length() - 1), false);
        }
        boolean negative = value.startsWith("-");
        String digits = negative ? value.substring(1) : value;
        Expression number =
                !digits.isEmpty() && Cursor.isDigit(digits.charAt(0))
                        ? parse(position, digits, negative)
                        : null;
        return number != null ? number : new Expression.Word(position, value);
    }
}
