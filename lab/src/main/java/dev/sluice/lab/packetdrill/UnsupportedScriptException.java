package dev.sluice.lab.packetdrill;

/**
 * A script asks for something the interpreter does not do. Such a script is neither passed nor
 * failed; the message says what and where.
 */
public final class UnsupportedScriptException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Position position;

    UnsupportedScriptException(Position position, String what) {
        super(what);
        this.position = position;
    }

    /** Where the script asks for it. */
    public Position position() {
        return position;
    }
}
