package dev.sluice.lab.packetdrill;

import java.util.List;

/** An expression of a code block: the little of Python that scripts use. */
sealed interface CodeExpression {
    /** An integer or string. */
    record Literal(CodeValue value) implements CodeExpression {}

    /** A variable. */
    record Name(Position position, String name) implements CodeExpression {}

    /** {@code -x}, {@code +x}, {@code ~x}, {@code not x}. */
    record Unary(String operator, CodeExpression operand) implements CodeExpression {}

    /** Arithmetic, and string formatting with {@code %}. */
    record Binary(Position position, String operator, CodeExpression left, CodeExpression right)
            implements CodeExpression {}

    /** {@code a < b <= c}: each neighbouring pair must hold; one operator fewer than operands. */
    record Comparison(Position position, List<String> operators, List<CodeExpression> operands)
            implements CodeExpression {}

    /** {@code a and b} or {@code a or b}. */
    record Logic(boolean and, CodeExpression left, CodeExpression right)
            implements CodeExpression {}

    /** {@code (a, b)}. */
    record Tuple(List<CodeExpression> elements) implements CodeExpression {}
}
