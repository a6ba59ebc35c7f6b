package dev.sluice.tcp;

import dev.sluice.memory.MemoryAccount;
import dev.sluice.tcp.policy.WritableRule;

/**
 * The one predicate behind poll, wake-up and write (B-8.2 to B-8.4, B-1.3.6), so that they cannot
 * disagree.
 */
final class WriteSpace {
    private final MemoryAccount memory;
    private final WritableRule rule;
    private final int minimum;

    /**
     * @param minimum guaranteed bytes of truesize per socket, {@code tcp_wmem[0]}
     */
    WriteSpace(MemoryAccount memory, WritableRule rule, int minimum) {
        this.memory = memory;
        this.rule = rule;
        this.minimum = minimum;
    }

    /**
     * What poll reports and a wake-up requires: a third of the buffer free, and memory to fill it.
     */
    boolean writable(TcpConnection c) {
        int queued = c.wmemQueued();
        return queued <= c.sndBuf / 3 * 2
                && 2L * c.notSent() < c.settings.notsentLowatInForce()
                && rule.admits(queued, minimum, memory.pressure(), memory.overLimit());
    }

    /** What a write asks before it starts another buffer. */
    boolean mayStartRecord(TcpConnection c) {
        return c.wmemQueued() < c.sndBuf && c.notSent() < c.settings.notsentLowatInForce();
    }

    /** Space would be there, memory is not: the connection waits for pressure to end. */
    boolean heldByPressure(TcpConnection c) {
        return !rule.admits(c.wmemQueued(), minimum, memory.pressure(), memory.overLimit());
    }
}
