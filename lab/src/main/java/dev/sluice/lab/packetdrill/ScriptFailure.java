package dev.sluice.lab.packetdrill;

/** The stack did not do what its script demands: where, and in how many lines it takes to say. */
final class ScriptFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Position position;

    ScriptFailure(Position position, String problem) {
        super(problem);
        this.position = position;
    }

    Position position() {
        return position;
    }
}
