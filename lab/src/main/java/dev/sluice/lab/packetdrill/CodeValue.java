package dev.sluice.lab.packetdrill;

import java.util.List;

/** A value in a code block. */
public sealed interface CodeValue {
    /** An integer; true is 1 and false is 0. */
    record Whole(long value) implements CodeValue {
        @Override
        public String toString() {
            return Long.toString(value);
        }
    }

    /** A string. */
    record Text(String value) implements CodeValue {
        @Override
        public String toString() {
            return value;
        }
    }

    /** Several values, the right-hand side of a format. */
    record Tuple(List<CodeValue> elements) implements CodeValue {
        public Tuple {
            elements = List.copyOf(elements);
        }
    }

    /** Whether an assertion on this value holds. */
    default boolean isTrue() {
        return switch (this) {
            case Whole whole -> whole.value() != 0;
            case Text text -> !text.value().isEmpty();
            case Tuple tuple -> !tuple.elements().isEmpty();
        };
    }
}
