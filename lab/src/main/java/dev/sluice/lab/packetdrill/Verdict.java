package dev.sluice.lab.packetdrill;

/** What came of a script. */
public enum Verdict {
    /** Everything it demands happened. */
    PASSED,
    /** Something it demands did not happen, or it is not in the language. */
    FAILED,
    /** It asks for something the interpreter or the stack does not do. */
    UNSUPPORTED;

    /** The word of tables and summaries. */
    public String word() {
        return switch (this) {
            case PASSED -> "pass";
            case FAILED -> "fail";
            case UNSUPPORTED -> "unsupported";
        };
    }
}
