package dev.sluice.lab.packetdrill;

import java.util.List;
import java.util.Optional;

/** A statement of a code block. */
sealed interface CodeStatement {
    /** {@code assert condition, message}; {@code text} is the condition as written. */
    record Assertion(
            Position position,
            CodeExpression condition,
            Optional<CodeExpression> message,
            String text)
            implements CodeStatement {}

    /** {@code name = value}, or with {@code +=}, {@code -=} and {@code *=} as the operator. */
    record Assignment(Position position, String name, String operator, CodeExpression value)
            implements CodeStatement {}

    /** {@code print(a, b)}. */
    record Print(List<CodeExpression> values) implements CodeStatement {}

    /** An expression on its own; evaluated for its errors. */
    record Evaluation(CodeExpression value) implements CodeStatement {}
}
