package dev.sluice.sim.check;

/**
 * The books of one direction of one connection: what one program wrote and what the other one read.
 *
 * <p>That the bytes themselves are right is for the reader to compare; with the lengths kept here
 * it follows that what was delivered is a prefix of what was sent.
 */
public final class Ledger {
    private final String name;
    private long written;
    private long delivered;
    private boolean writeEnded;
    private boolean readEnded;

    /**
     * @param name what to call this direction in a failure
     */
    public Ledger(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    /** The socket accepted so many more bytes. */
    public void wrote(int bytes) {
        written += bytes;
    }

    /** The writer said that there will be no more. */
    public void endOfWriting() {
        writeEnded = true;
    }

    /** The reader got so many more bytes. */
    public void read(long now, int bytes) {
        delivered += bytes;
        if (delivered > written) {
            throw failure(now, "more bytes delivered than were written");
        }
        if (readEnded) {
            throw failure(now, "bytes delivered after the end");
        }
    }

    /** The reader was told that there will be no more. */
    public void endOfReading(long now) {
        readEnded = true;
        if (!writeEnded || delivered != written) {
            throw failure(now, "end of data delivered before the data was");
        }
    }

    public long written() {
        return written;
    }

    public long delivered() {
        return delivered;
    }

    /** Whether the reader got everything, the end included. */
    public boolean isComplete() {
        return readEnded;
    }

    private CheckFailure failure(long now, String what) {
        return new CheckFailure(
                now,
                name + ": " + what + " (written " + written + ", delivered " + delivered + ")");
    }
}
