package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs the code blocks of one script. What a block assigns is visible to the blocks after it, as in
 * the original tool, where all of them are one program.
 */
final class CodeEvaluator {
    /**
     * An assertion that did not hold.
     *
     * @param values the variables the assertion names and their values, {@code a=1 b=2}
     */
    record Failure(Position position, String assertion, String message, String values) {
        @Override
        public String toString() {
            String with = values.isEmpty() ? "" : " with " + values;
            String said = message.isEmpty() ? "" : ": " + message;
            return "assertion failed: " + assertion + with + said;
        }
    }

    private final Map<String, CodeValue> variables = new HashMap<>();
    private final List<String> printed = new ArrayList<>();
    private Map<String, Long> snapshot = Map.of();

    /** Lines printed so far. */
    List<String> printed() {
        return printed;
    }

    /**
     * Runs one block.
     *
     * @param values what the connection's {@code tcp_info} and the system's headers define now
     * @return the first assertion that does not hold
     * @throws UnsupportedScriptException for an unknown name or operation
     */
    Optional<Failure> run(List<CodeStatement> block, Map<String, Long> values) {
        snapshot = values;
        for (CodeStatement statement : block) {
            switch (statement) {
                case CodeStatement.Assertion assertion -> {
                    if (!evaluate(assertion.condition()).isTrue()) {
                        return Optional.of(failure(assertion));
                    }
                }
                case CodeStatement.Assignment assignment -> assign(assignment);
                case CodeStatement.Print print -> print(print);
                case CodeStatement.Evaluation evaluation -> evaluate(evaluation.value());
            }
        }
        return Optional.empty();
    }

    private Failure failure(CodeStatement.Assertion assertion) {
        String message = assertion.message().map(m -> evaluate(m).toString()).orElse("");
        StringBuilder values = new StringBuilder();
        describe(assertion.condition(), values);
        return new Failure(
                assertion.position(), assertion.text(), message, values.toString().strip());
    }

    /** Appends {@code name=value} for every variable of an expression that is not a constant. */
    private void describe(CodeExpression expression, StringBuilder text) {
        switch (expression) {
            case CodeExpression.Literal literal -> {}
            case CodeExpression.Name name -> {
                boolean constant = name.name().startsWith("TCP");
                String shown = name.name() + "=" + evaluate(name);
                if (!constant && text.indexOf(shown) < 0) {
                    text.append(' ').append(shown);
                }
            }
            case CodeExpression.Unary unary -> describe(unary.operand(), text);
            case CodeExpression.Binary binary -> {
                describe(binary.left(), text);
                describe(binary.right(), text);
            }
            case CodeExpression.Comparison comparison ->
                    comparison.operands().forEach(operand -> describe(operand, text));
            case CodeExpression.Logic logic -> {
                describe(logic.left(), text);
                describe(logic.right(), text);
            }
            case CodeExpression.Tuple tuple ->
                    tuple.elements().forEach(element -> describe(element, text));
        }
    }

    private void assign(CodeStatement.Assignment assignment) {
        CodeValue value = evaluate(assignment.value());
        if (!assignment.operator().isEmpty()) {
            Position at = assignment.position();
            CodeValue old = evaluate(new CodeExpression.Name(at, assignment.name()));
            value = binary(at, assignment.operator(), old, value);
        }
        variables.put(assignment.name(), value);
    }

    private void print(CodeStatement.Print print) {
        StringBuilder line = new StringBuilder();
        for (CodeExpression value : print.values()) {
            line.append(line.isEmpty() ? "" : " ").append(evaluate(value));
        }
        printed.add(line.toString());
    }

    private CodeValue evaluate(CodeExpression expression) {
        return switch (expression) {
            case CodeExpression.Literal literal -> literal.value();
            case CodeExpression.Name name -> lookUp(name);
            case CodeExpression.Unary unary -> unary(unary);
            case CodeExpression.Binary binary ->
                    binary(
                            binary.position(),
                            binary.operator(),
                            evaluate(binary.left()),
                            evaluate(binary.right()));
            case CodeExpression.Comparison comparison -> compare(comparison);
            case CodeExpression.Logic logic -> {
                CodeValue left = evaluate(logic.left());
                yield left.isTrue() == logic.and() ? evaluate(logic.right()) : left;
            }
            case CodeExpression.Tuple tuple ->
                    new CodeValue.Tuple(tuple.elements().stream().map(this::evaluate).toList());
        };
    }

    private CodeValue lookUp(CodeExpression.Name name) {
        CodeValue own = variables.get(name.name());
        if (own != null) {
            return own;
        }
        Long given = snapshot.get(name.name());
        if (given == null) {
            throw new UnsupportedScriptException(
                    name.position(), "the variable " + name.name() + " in code");
        }
        return new CodeValue.Whole(given);
    }

    private CodeValue unary(CodeExpression.Unary unary) {
        CodeValue operand = evaluate(unary.operand());
        if (unary.operator().equals("not")) {
            return truth(!operand.isTrue());
        }
        long value = operand instanceof CodeValue.Whole whole ? whole.value() : 0;
        return new CodeValue.Whole(
                switch (unary.operator()) {
                    case "-" -> -value;
                    case "~" -> ~value;
                    default -> value;
                });
    }

    private CodeValue compare(CodeExpression.Comparison comparison) {
        CodeValue left = evaluate(comparison.operands().getFirst());
        for (int i = 0; i < comparison.operators().size(); i++) {
            CodeValue right = evaluate(comparison.operands().get(i + 1));
            if (!holds(comparison.position(), comparison.operators().get(i), left, right)) {
                return truth(false);
            }
            left = right;
        }
        return truth(true);
    }

    private static boolean holds(Position at, String operator, CodeValue left, CodeValue right) {
        if (operator.equals("==")) {
            return left.equals(right);
        }
        if (operator.equals("!=")) {
            return !left.equals(right);
        }
        if (!(left instanceof CodeValue.Whole a) || !(right instanceof CodeValue.Whole b)) {
            throw new UnsupportedScriptException(at, "ordering of strings in code");
        }
        return switch (operator) {
            case "<" -> a.value() < b.value();
            case "<=" -> a.value() <= b.value();
            case ">" -> a.value() > b.value();
            default -> a.value() >= b.value();
        };
    }

    private static CodeValue binary(Position at, String operator, CodeValue left, CodeValue right) {
        if (left instanceof CodeValue.Text format && operator.equals("%")) {
            return new CodeValue.Text(format(at, format.value(), right));
        }
        if (left instanceof CodeValue.Text a
                && right instanceof CodeValue.Text b
                && operator.equals("+")) {
            return new CodeValue.Text(a.value() + b.value());
        }
        if (!(left instanceof CodeValue.Whole a) || !(right instanceof CodeValue.Whole b)) {
            throw new UnsupportedScriptException(at, "'" + operator + "' on strings in code");
        }
        return new CodeValue.Whole(arithmetic(at, operator, a.value(), b.value()));
    }

    private static long arithmetic(Position at, String operator, long a, long b) {
        if (b == 0 && (operator.equals("//") || operator.equals("%"))) {
            throw new UnsupportedScriptException(at, "division by zero in code");
        }
        return switch (operator) {
            case "|" -> a | b;
            case "^" -> a ^ b;
            case "&" -> a & b;
            case "<<" -> a << b;
            case ">>" -> a >> b;
            case "+" -> a + b;
            case "-" -> a - b;
            case "*" -> a * b;
            case "//" -> Math.floorDiv(a, b);
            case "%" -> Math.floorMod(a, b);
            default -> throw new UnsupportedScriptException(at, "'" + operator + "' in code");
        };
    }

    /** {@code %d}, {@code %u}, {@code %i}, {@code %s}, {@code %x} and {@code %%}. */
    private static String format(Position at, String format, CodeValue right) {
        List<CodeValue> values =
                right instanceof CodeValue.Tuple tuple ? tuple.elements() : List.of(right);
        StringBuilder text = new StringBuilder();
        int next = 0;
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c != '%' || i + 1 == format.length()) {
                text.append(c);
                continue;
            }
            char conversion = format.charAt(++i);
            if (conversion == '%') {
                text.append('%');
                continue;
            }
            if ("duisx".indexOf(conversion) < 0 || next == values.size()) {
                throw new UnsupportedScriptException(at, "the format '" + format + "' in code");
            }
            CodeValue value = values.get(next++);
            text.append(
                    conversion == 'x' && value instanceof CodeValue.Whole whole
                            ? Long.toHexString(whole.value())
                            : value.toString());
        }
        return text.toString();
    }

    private static CodeValue truth(boolean value) {
        return new CodeValue.Whole(value ? 1 : 0);
    }
}
