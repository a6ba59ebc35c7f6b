package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A reading position in a script and the lexical rules of the language.
 *
 * <p>There is no separate token stream, because what a character means depends on where it stands:
 * {@code .5} is a time before an event and a pair of flags inside a packet, {@code 3} is a number
 * or a hexadecimal cookie, and line ends mean nothing. The parsers ask for what they expect.
 */
final class Cursor {
    private static final int SHOWN_CHARACTERS = 24;
    private static final int NANOS_DIGITS = 9;

    private final Source source;
    private final Map<String, String> definitions;
    private final List<Script.UndefinedName> undefinedNames = new ArrayList<>();
    private int at;

    Cursor(Source source, Map<String, String> definitions) {
        this.source = source;
        this.definitions = definitions;
    }

    List<Script.UndefinedName> undefinedNames() {
        return undefinedNames;
    }

    int offset() {
        return at;
    }

    void rewind(int offset) {
        at = offset;
    }

    /** Position of the next thing that is neither white space nor a comment. */
    Position position() {
        skipBlank();
        return source.position(at);
    }

    Position positionAt(int offset) {
        return source.position(offset);
    }

    ScriptSyntaxException expected(String what) {
        skipBlank();
        return ScriptSyntaxException.expected(source.position(at), what, found());
    }

    private String found() {
        String text = source.text();
        if (at >= text.length()) {
            return "the end of the script";
        }
        int end = at + 1;
        if (isWordPart(text.charAt(at))) {
            while (end < text.length() && isWordPart(text.charAt(end))) {
                end++;
            }
        }
        return "'" + text.substring(at, Math.min(end, at + SHOWN_CHARACTERS)) + "'";
    }

    boolean atEnd() {
        skipBlank();
        return at >= source.text().length();
    }

    /** The character {@code ahead} places on without skipping anything; 0 past the end. */
    char raw(int ahead) {
        int index = at + ahead;
        return index < source.text().length() ? source.text().charAt(index) : 0;
    }

    char peek() {
        skipBlank();
        return raw(0);
    }

    void skipBlank() {
        String text = source.text();
        while (at < text.length()) {
            char c = text.charAt(at);
            if (Character.isWhitespace(c)) {
                at++;
            } else if (text.startsWith("//", at)) {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (text.startsWith("/*", at)) {
                int end = text.indexOf("*/", at + 2);
                if (end < 0) {
                    throw ScriptSyntaxException.expected(
                            source.position(at), "*/ to end this comment", "the end of the script");
                }
                at = end + 2;
            } else {
                return;
            }
        }
    }

    boolean lookingAt(String punctuation) {
        skipBlank();
        return source.text().startsWith(punctuation, at);
    }

    boolean accept(String punctuation) {
        if (!lookingAt(punctuation)) {
            return false;
        }
        at += punctuation.length();
        return true;
    }

    void require(String punctuation, String what) {
        if (!accept(punctuation)) {
            throw expected(what);
        }
    }

    boolean lookingAtWord(String word) {
        return lookingAt(word) && !isWordPart(raw(word.length()));
    }

    boolean acceptWord(String word) {
        if (!lookingAtWord(word)) {
            return false;
        }
        at += word.length();
        return true;
    }

    void requireWord(String word) {
        if (!acceptWord(word)) {
            throw expected("'" + word + "'");
        }
    }

    boolean lookingAtWordStart() {
        char c = peek();
        return Character.isLetter(c) || c == '_';
    }

    boolean lookingAtDigit() {
        return isDigit(peek());
    }

    /** A word of letters, digits and underscores, as written. */
    String word(String what) {
        if (!lookingAtWordStart()) {
            throw expected(what);
        }
        return run();
    }

    /** Letters, digits and underscores in any order; empty if there are none. */
    String run() {
        skipBlank();
        int start = at;
        while (isWordPart(raw(0))) {
            at++;
        }
        return source.text().substring(start, at);
    }

    /** What {@code -D} made of a word, or the word itself. */
    String define(String word) {
        return definitions.getOrDefault(word, word);
    }

    boolean isDefined(String word) {
        return definitions.containsKey(word);
    }

    void reportUndefined(Position position, String name) {
        undefinedNames.add(new Script.UndefinedName(position, name));
    }

    /**
     * An unsigned number up to {@code limit}, decimal or hexadecimal, or a word defined as one.
     *
     * @return 0 for a word without definition, which is recorded as such
     */
    long number(String what, long limit) {
        Position position = position();
        if (!lookingAtDigit() && !lookingAtWordStart()) {
            throw expected(what);
        }
        int start = at;
        String written = run();
        String text = define(written);
        if (!isDigit(text.charAt(0))) {
            if (isDefined(written)) {
                at = start;
                throw expected(what);
            }
            reportUndefined(position, written);
            return 0;
        }
        long value = parseUnsigned(text);
        if (value < 0 || value > limit) {
            at = start;
            throw expected(value < 0 ? what : what + " of at most " + limit);
        }
        return value;
    }

    /** A number that fits an {@code int}. */
    int smallNumber(String what, int limit) {
        return (int) number(what, limit);
    }

    /** The value of decimal or 0x digits, or -1 if it is no number or exceeds 63 bits. */
    static long parseUnsigned(String text) {
        try {
            boolean hex = text.startsWith("0x") || text.startsWith("0X");
            return hex ? Long.parseLong(text.substring(2), 16) : Long.parseLong(text);
        } catch (NumberFormatException notANumber) {
            return -1;
        }
    }

    /** Whether a time follows: digits, or a point and a digit. */
    boolean lookingAtTime() {
        char c = peek();
        return isDigit(c) || c == '.' && isDigit(raw(1));
    }

    /** Decimal seconds such as {@code 1}, {@code .5} or {@code 0.001}, in nanoseconds. */
    long seconds(String what) {
        if (!lookingAtTime()) {
            throw expected(what);
        }
        int start = at;
        long whole = 0;
        while (isDigit(raw(0))) {
            whole = whole * 10 + (raw(0) - '0');
            at++;
            if (at - start > NANOS_DIGITS) {
                at = start;
                throw expected(what + " of less than a thousand million seconds");
            }
        }
        long nanos = 0;
        int digits = 0;
        if (raw(0) == '.' && raw(1) != '.') {
            at++;
            while (isDigit(raw(0))) {
                if (digits < NANOS_DIGITS) {
                    nanos = nanos * 10 + (raw(0) - '0');
                    digits++;
                }
                at++;
            }
        }
        for (; digits < NANOS_DIGITS; digits++) {
            nanos *= 10;
        }
        return whole * 1_000_000_000L + nanos;
    }

    /** The text up to {@code end}, which is consumed; the text begins right after {@code begin}. */
    String between(String begin, String end) {
        Position position = position();
        require(begin, begin);
        int close = source.text().indexOf(end, at);
        if (close < 0) {
            throw ScriptSyntaxException.expected(
                    position, end + " to end what begins here", "the end of the script");
        }
        String text = source.text().substring(at, close);
        at = close + end.length();
        return text;
    }

    /** Characters up to white space, honouring quotes, which are removed. */
    String shellWord() {
        StringBuilder text = new StringBuilder();
        char quote = 0;
        while (at < source.text().length()) {
            char c = raw(0);
            if (quote == 0 && Character.isWhitespace(c)) {
                break;
            }
            at++;
            if (c == quote) {
                quote = 0;
            } else if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }

    void advance(int characters) {
        at += characters;
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static boolean isWordPart(char c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }
}
