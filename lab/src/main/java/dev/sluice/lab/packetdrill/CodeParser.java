package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads code blocks: assertions, assignments and prints over integers and strings, with Python's
 * precedence. There are no functions, loops or conditions.
 */
final class CodeParser {
    /** Binary operators from loose to tight; those of a row associate to the left. */
    private static final String[][] LEVELS = {
        {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "//", "%"}
    };

    private final String text;
    private final Position start;
    private int at;
    private int parentheses;

    private CodeParser(Step.CodeText code) {
        this.text = code.text();
        this.start = code.position();
    }

    static List<CodeStatement> parse(Step.CodeText code) {
        CodeParser parser = new CodeParser(code);
        List<CodeStatement> statements = new ArrayList<>();
        parser.skipSeparators();
        while (parser.at < parser.text.length()) {
            statements.add(parser.statement());
            parser.requireSeparator();
            parser.skipSeparators();
        }
        return statements;
    }

    private Position position() {
        int line = start.line();
        int column = start.column() + at;
        for (int i = 0; i < at; i++) {
            if (text.charAt(i) == '\n') {
                line++;
                column = at - i;
            }
        }
        return new Position(start.file(), line, column);
    }

    private ScriptSyntaxException expected(String what) {
        String found = "the end of the code";
        if (at < text.length()) {
            int end = at + 1;
            while (end < text.length()
                    && Cursor.isWordPart(text.charAt(at))
                    && Cursor.isWordPart(text.charAt(end))) {
                end++;
            }
            found = "'" + text.substring(at, end) + "'";
        }
        return ScriptSyntaxException.expected(position(), what, found);
    }

    /** Blanks, continued lines, comments; line ends only inside parentheses. */
    private void skipBlank() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\\' && continuesLine()) {
                at = text.indexOf('\n', at) + 1;
            } else if (c == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (c == '\n' ? parentheses > 0 : Character.isWhitespace(c)) {
                at++;
            } else {
                return;
            }
        }
    }

    private boolean continuesLine() {
        int end = text.indexOf('\n', at);
        return end >= 0 && text.substring(at + 1, end).isBlank();
    }

    private void skipSeparators() {
        skipBlank();
        while (at < text.length() && (text.charAt(at) == '\n' || text.charAt(at) == ';')) {
            at++;
            skipBlank();
        }
    }

    private void requireSeparator() {
        skipBlank();
        if (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != ';') {
            throw expected("';' or a new line after a statement");
        }
    }

    private boolean accept(String punctuation) {
        skipBlank();
        if (!text.startsWith(punctuation, at)) {
            return false;
        }
        at += punctuation.length();
        return true;
    }

    private void require(String punctuation) {
        if (!accept(punctuation)) {
            throw expected("'" + punctuation + "'");
        }
    }

    private boolean acceptWord(String word) {
        skipBlank();
        int end = at + word.length();
        if (!text.startsWith(word, at)
                || end < text.length() && Cursor.isWordPart(text.charAt(end))) {
            return false;
        }
        at = end;
        return true;
    }

    private CodeStatement statement() {
        skipBlank();
        Position position = position();
        if (acceptWord("assert")) {
            return assertion(position);
        }
        if (acceptWord("print")) {
            return print();
        }
        int begin = at;
        if (startsWord()) {
            String name = word();
            for (String operator : new String[] {"+=", "-=", "*="}) {
                if (accept(operator)) {
                    String plain = operator.substring(0, 1);
                    return new CodeStatement.Assignment(position, name, plain, expression());
                }
            }
            skipBlank();
            if (text.startsWith("=", at) && !text.startsWith("==", at)) {
                at++;
                return new CodeStatement.Assignment(position, name, "", expression());
            }
        }
        at = begin;
        return new CodeStatement.Evaluation(expression());
    }

    private CodeStatement assertion(Position position) {
        skipBlank();
        int begin = at;
        CodeExpression condition = expression();
        String written = text.substring(begin, at).strip().replaceAll("\\s+", " ");
        Optional<CodeExpression> message = Optional.empty();
        if (accept(",")) {
            message = Optional.of(expression());
        }
        return new CodeStatement.Assertion(position, condition, message, written);
    }

    private CodeStatement print() {
        List<CodeExpression> values = new ArrayList<>();
        skipBlank();
        if (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != ';') {
            CodeExpression printed = expression();
            if (printed instanceof CodeExpression.Tuple tuple) {
                values.addAll(tuple.elements());
            } else {
                values.add(printed);
            }
        }
        return new CodeStatement.Print(values);
    }

    private CodeExpression expression() {
        CodeExpression left = conjunction();
        while (acceptWord("or")) {
            left = new CodeExpression.Logic(false, left, conjunction());
        }
        return left;
    }

    private CodeExpression conjunction() {
        CodeExpression left = negation();
        while (acceptWord("and")) {
            left = new CodeExpression.Logic(true, left, negation());
        }
        return left;
    }

    private CodeExpression negation() {
        return acceptWord("not") ? new CodeExpression.Unary("not", negation()) : comparison();
    }

    private CodeExpression comparison() {
        skipBlank();
        Position position = position();
        CodeExpression first = binary(0);
        List<String> operators = new ArrayList<>();
        List<CodeExpression> operands = new ArrayList<>();
        operands.add(first);
        String operator = comparisonOperator();
        while (operator != null) {
            operators.add(operator);
            operands.add(binary(0));
            operator = comparisonOperator();
        }
        return operators.isEmpty()
                ? first
                : new CodeExpression.Comparison(position, operators, operands);
    }

    private String comparisonOperator() {
        for (String operator : new String[] {"==", "!=", "<=", ">=", "<", ">"}) {
            if (accept(operator)) {
                return operator;
            }
        }
        return null;
    }

    private CodeExpression binary(int level) {
        if (level == LEVELS.length) {
            return unary();
        }
        CodeExpression left = binary(level + 1);
        while (true) {
            skipBlank();
            Position position = position();
            String operator = binaryOperator(LEVELS[level]);
            if (operator == null) {
                return left;
            }
            left = new CodeExpression.Binary(position, operator, left, binary(level + 1));
        }
    }

    private String binaryOperator(String[] candidates) {
        for (String operator : candidates) {
            if (accept(operator)) {
                return operator;
            }
        }
        return null;
    }

    private CodeExpression unary() {
        for (String operator : new String[] {"-", "+", "~"}) {
            if (accept(operator)) {
                return new CodeExpression.Unary(operator, unary());
            }
        }
        return primary();
    }

    private CodeExpression primary() {
        skipBlank();
        Position position = position();
        char c = at < text.length() ? text.charAt(at) : 0;
        if (Cursor.isDigit(c)) {
            String digits = word();
            long value = Cursor.parseUnsigned(digits);
            if (value < 0) {
                at -= digits.length();
                throw expected("an integer");
            }
            return new CodeExpression.Literal(new CodeValue.Whole(value));
        }
        if (c == '\'' || c == '"') {
            return new CodeExpression.Literal(new CodeValue.Text(strings()));
        }
        if (c == '(') {
            return parenthesized();
        }
        if (startsWord()) {
            return name(position);
        }
        throw expected("an integer, string, name or '('");
    }

    private CodeExpression name(Position position) {
        String name = word();
        if (name.equals("True") || name.equals("False")) {
            return new CodeExpression.Literal(new CodeValue.Whole(name.equals("True") ? 1 : 0));
        }
        skipBlank();
        if (at < text.length() && (text.charAt(at) == '(' || text.charAt(at) == '.')) {
            throw new UnsupportedScriptException(position, "a function in code: " + name);
        }
        return new CodeExpression.Name(position, name);
    }

    private CodeExpression parenthesized() {
        parentheses++;
        require("(");
        List<CodeExpression> elements = new ArrayList<>();
        boolean tuple = false;
        skipBlank();
        if (!text.startsWith(")", at)) {
            elements.add(expression());
        }
        while (accept(",")) {
            tuple = true;
            skipBlank();
            if (!text.startsWith(")", at)) {
                elements.add(expression());
            }
        }
        require(")");
        parentheses--;
        return elements.size() == 1 && !tuple
                ? elements.getFirst()
                : new CodeExpression.Tuple(elements);
    }

    private boolean startsWord() {
        return at < text.length()
                && (Character.isLetter(text.charAt(at)) || text.charAt(at) == '_');
    }

    private String word() {
        int begin = at;
        while (at < text.length() && Cursor.isWordPart(text.charAt(at))) {
            at++;
        }
        return text.substring(begin, at);
    }

    /** Adjacent strings are one. */
    private String strings() {
        StringBuilder value = new StringBuilder();
        while (at < text.length() && (text.charAt(at) == '\'' || text.charAt(at) == '"')) {
            char quote = text.charAt(at);
            int end = text.indexOf(quote, at + 1);
            if (end < 0) {
                throw expected("an end to this string");
            }
            value.append(text, at + 1, end);
            at = end + 1;
            skipBlank();
        }
        return value.toString();
    }
}
