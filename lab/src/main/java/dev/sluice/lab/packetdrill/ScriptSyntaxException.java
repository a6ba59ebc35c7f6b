package dev.sluice.lab.packetdrill;

/** A script is not in the language: where, what was expected there and what was found. */
public final class ScriptSyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Position position;
    private final String problem;

    ScriptSyntaxException(Position position, String problem) {
        super(position + ": " + problem);
        this.position = position;
        this.problem = problem;
    }

    static ScriptSyntaxException expected(Position position, String expected, String found) {
        return new ScriptSyntaxException(position, "expected " + expected + ", found " + found);
    }

    /** The message without the place. */
    public String problem() {
        return problem;
    }

    /** The place of the first character that does not fit. */
    public Position position() {
        return position;
    }
}
