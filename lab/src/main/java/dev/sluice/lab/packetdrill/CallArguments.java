package dev.sluice.lab.packetdrill;

/** Reads the arguments of a call as numbers, buffers and structures. */
final class CallArguments {
    private final Step.Call call;

    CallArguments(Step.Call call) {
        this.call = call;
    }

    int count() {
        return call.arguments().size();
    }

    Expression at(int index) {
        if (index >= call.arguments().size()) {
            throw new ScriptFailure(
                    call.position(),
                    call.name() + " needs more than " + call.arguments().size() + " arguments");
        }
        return call.arguments().get(index);
    }

    /** An integer argument; {@code ...} is 0. */
    long number(int index) {
        Expression argument = at(index);
        return argument instanceof Expression.Any ? 0 : Symbols.value(argument);
    }

    int integer(int index) {
        return (int) number(index);
    }

    /** An integer argument that may be left out. */
    int integerOr(int index, int otherwise) {
        return index < count() ? integer(index) : otherwise;
    }

    boolean isNull(int index) {
        return at(index) instanceof Expression.Word word && word.name().equals("NULL");
    }

    /** A value behind a pointer, {@code [5]}, or the value itself. */
    long pointed(int index) {
        return pointed(at(index));
    }

    static long pointed(Expression argument) {
        return argument instanceof Expression.Array array && array.elements().size() == 1
                ? Symbols.value(array.elements().getFirst())
                : Symbols.value(argument);
    }

    /** A structure. */
    Expression.Struct struct(int index) {
        return struct(at(index));
    }

    Expression.Struct struct(Expression argument) {
        if (argument instanceof Expression.Struct struct) {
            return struct;
        }
        throw new UnsupportedScriptException(
                argument.position(), "'" + argument + "' as a structure");
    }

    /** A member of a structure. */
    static Expression member(Expression.Struct struct, String name) {
        Expression member = struct.member(name);
        if (member == null) {
            throw new UnsupportedScriptException(struct.position(), "a structure without " + name);
        }
        return member;
    }

    UnsupportedScriptException unsupported(String what) {
        return new UnsupportedScriptException(call.position(), what);
    }
}
