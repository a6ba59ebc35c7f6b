package dev.sluice.lab.packetdrill;

import java.util.List;

/** An argument or result of a socket call, as written in the script. */
public sealed interface Expression {
    /** Where the expression begins. */
    Position position();

    /** {@code ...}: unspecified. */
    record Any(Position position) implements Expression {
        @Override
        public String toString() {
            return "...";
        }
    }

    /** A decimal or hexadecimal number. Hexadecimal numbers fill all 64 bits. */
    record Number(Position position, long value, boolean hex) implements Expression {
        @Override
        public String toString() {
            return hex ? "0x" + Long.toHexString(value) : Long.toString(value);
        }
    }

    /** A symbol such as {@code SOCK_STREAM}. */
    record Word(Position position, String name) implements Expression {
        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * A string; {@code repeated} for {@code "x"...}, the string over and over to fill the buffer.
     */
    record Text(Position position, String value, boolean repeated) implements Expression {
        @Override
        public String toString() {
            return '"' + value + '"' + (repeated ? "..." : "");
        }
    }

    /** {@code a|b|c}. */
    record Or(Position position, List<Expression> terms) implements Expression {
        public Or {
            terms = List.copyOf(terms);
        }

        @Override
        public String toString() {
            return join(terms, "|");
        }
    }

    /** {@code [a, b]}: an array, or a value behind a pointer. */
    record Array(Position position, List<Expression> elements) implements Expression {
        public Array {
            elements = List.copyOf(elements);
        }

        @Override
        public String toString() {
            return "[" + join(elements, ", ") + "]";
        }
    }

    /** {@code {a, b=c}}: a structure; named members are {@link Member}. */
    record Struct(Position position, List<Expression> members) implements Expression {
        public Struct {
            members = List.copyOf(members);
        }

        @Override
        public String toString() {
            return "{" + join(members, ", ") + "}";
        }

        /** The value of the member of that name, or null. */
        public Expression member(String name) {
            for (Expression candidate : members) {
                if (candidate instanceof Member member && member.name().equals(name)) {
                    return member.value();
                }
            }
            return null;
        }
    }

    /**
     * {@code name=value} or {@code name(size)=value} inside a structure.
     *
     * @param size what stands in the parentheses after the name; empty if there are none
     */
    record Member(Position position, String name, List<Expression> size, Expression value)
            implements Expression {
        public Member {
            size = List.copyOf(size);
        }

        @Override
        public String toString() {
            String shown = size.isEmpty() ? "" : "(" + join(size, ", ") + ")";
            return name + shown + "=" + value;
        }
    }

    /** {@code htons(8080)}, {@code inet_addr("192.0.2.1")}. */
    record Function(Position position, String name, List<Expression> arguments)
            implements Expression {
        public Function {
            arguments = List.copyOf(arguments);
        }

        @Override
        public String toString() {
            return name + "(" + join(arguments, ", ") + ")";
        }
    }

    private static String join(List<Expression> parts, String separator) {
        StringBuilder text = new StringBuilder();
        for (Expression part : parts) {
            if (!text.isEmpty()) {
                text.append(separator);
            }
            text.append(part);
        }
        return text.toString();
    }
}
