package dev.sluice.runtime.device;

import dev.sluice.memory.PacketBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One direction of a {@link Cable}: a ring between the owner of the sending stack and the owner of
 * the receiving one.
 *
 * <p>It works as the receive ring of a network card does. The consumer <em>posts</em> empty buffers
 * of its own pool; the producer claims the next one, copies a packet into it and publishes it. So a
 * packet is copied once, both pools keep a single owner, and the ring allocates nothing. Positions
 * only grow; position {@code p} is in slot {@code p mod slots}:
 *
 * <pre>
 * head &lt;= tail &lt;= posted &lt;= head + slots
 * [head, tail) packets, the consumer's     [tail, posted) empty buffers, the producer's
 * </pre>
 *
 * <p><b>Ordering.</b> Everything else is plain memory of one side.
 *
 * <ul>
 *   <li><i>Packets.</i> The producer fills buffer and slot's packet, then stores {@code tail} with
 *       release; the consumer loads it with acquire before it reads them.
 *   <li><i>Buffers.</i> The consumer stores the buffer into its slot, then {@code posted} with
 *       release; the producer loads it with acquire before it touches either.
 *   <li><i>The consumer sleeps.</i> It stores {@code consumer = AWAITS}, full fence, looks at
 *       {@code tail}; the producer stores {@code tail}, full fence, looks at {@code consumer}. One
 *       of them sees the other, so a packet is found before sleeping or somebody is told to wake.
 *   <li><i>The producer waits for room.</i> The same with {@code producer}, {@code posted} and
 *       {@code claim}.
 *   <li><i>Who wakes.</i> Whoever moves a flag from AWAITS to QUIET, by compare-and-set: either the
 *       other side, which then owes exactly one wake-up, or the side itself, and nobody owes one.
 *   <li><i>The consumer leaves.</i> The producer holds {@code claim} (compare-and-set from FREE to
 *       COPYING, release of FREE) while it uses a posted buffer. The consumer takes the claim for
 *       good (FREE to LEFT) before it takes buffers back: then none is being written, and none will
 *       be.
 * </ul>
 */
final class CableRing {
    private static final int QUIET = 0;
    private static final int AWAITS = 1;

    private static final int FREE = 0;
    private static final int COPYING = 1;
    private static final int LEFT = 2;

    private static final VarHandle TAIL;
    private static final VarHandle POSTED;
    private static final VarHandle CONSUMER;
    private static final VarHandle PRODUCER;
    private static final VarHandle CLAIM;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(CableRing.class, "tail", long.class);
            POSTED = lookup.findVarHandle(CableRing.class, "posted", long.class);
            CONSUMER = lookup.findVarHandle(CableRing.class, "consumer", int.class);
            PRODUCER = lookup.findVarHandle(CableRing.class, "producer", int.class);
            CLAIM = lookup.findVarHandle(CableRing.class, "claim", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final PacketBuffer[] slots;
    private final int mask;

    // ---- shared ------------------------------------------------------------------------------

    private long tail;
    private long posted;
    private int consumer = QUIET;
    private int producer = QUIET;
    private int claim = FREE;

    // ---- of the producer ---------------------------------------------------------------------

    private long nextTail;
    private long postedSeen;

    // ---- of the consumer ---------------------------------------------------------------------

    private long head;
    private long tailSeen;
    private long nextPosted;

    /**
     * @param slots the most buffers posted at a time; a power of two
     */
    CableRing(int slots) {
        if (Integer.bitCount(slots) != 1) {
            throw new IllegalArgumentException("slots must be a power of two, not " + slots);
        }
        this.slots = new PacketBuffer[slots];
        this.mask = slots - 1;
    }

    // ---- the producer ------------------------------------------------------------------------

    /**
     * The buffer for the next packet, the producer's until {@link #publish} or {@link #abandon}.
     *
     * @return null if no buffer is posted or the {@linkplain #isDeserted consumer has left}
     */
    PacketBuffer claim() {
        if (!hasRoom() || !CLAIM.compareAndSet(this, FREE, COPYING)) {
            return null;
        }
        return slots[(int) nextTail & mask];
    }

    private boolean hasRoom() {
        if (nextTail == postedSeen) {
            postedSeen = (long) POSTED.getAcquire(this);
        }
        return nextTail != postedSeen;
    }

    /**
     * Hands over the packet in the buffer that was claimed.
     *
     * @return whether the consumer sleeps: the caller owes it a wake-up
     */
    boolean publish() {
        nextTail++;
        TAIL.setRelease(this, nextTail);
        CLAIM.setRelease(this, FREE);
        // Pairs with the fence in doze.
        VarHandle.fullFence();
        return takeWait(CONSUMER);
    }

    /** The buffer that was claimed stays empty. */
    void abandon() {
        CLAIM.setRelease(this, FREE);
    }

    /** Whether packets would reach nobody. */
    boolean isDeserted() {
        return (int) CLAIM.getAcquire(this) == LEFT;
    }

    /**
     * The producer found no buffer and wants to be woken when there is one, or nobody to post it.
     *
     * @return false if that is so already: try again
     */
    boolean awaitRoom() {
        PRODUCER.setOpaque(this, AWAITS);
        // Pairs with the fence in wakesProducer.
        VarHandle.fullFence();
        if (!hasRoom() && !isDeserted()) {
            return true;
        }
        // If the other side has seen it, its wake-up is counted by stopAwaitingRoom.
        return false;
    }

    /** The producer is awake. @return whether it was, or will be, woken by the other side */
    boolean stopAwaitingRoom() {
        return !takeWait(PRODUCER);
    }

    // ---- the consumer ------------------------------------------------------------------------

    /** Whether another buffer can be posted. */
    boolean canPost() {
        return nextPosted - head < slots.length;
    }

    /** Empty buffers and packets in the ring. */
    int occupied() {
        return (int) (nextPosted - head);
    }

    /** Whether the producer has used every buffer it was given. */
    boolean isFull() {
        tailSeen = (long) TAIL.getAcquire(this);
        return tailSeen == nextPosted;
    }

    /** Gives the producer an empty buffer; only if {@link #canPost}. */
    void post(PacketBuffer empty) {
        slots[(int) nextPosted & mask] = empty;
        nextPosted++;
        POSTED.setRelease(this, nextPosted);
    }

    /** After posting: whether the producer waits for that, and the caller owes it a wake-up. */
    boolean wakesProducer() {
        // Pairs with the fence in awaitRoom.
        VarHandle.fullFence();
        return takeWait(PRODUCER);
    }

    /** The next packet, the consumer's from here on; null if there is none. */
    PacketBuffer take() {
        if (head == tailSeen) {
            tailSeen = (long) TAIL.getAcquire(this);
            if (head == tailSeen) {
                return null;
            }
        }
        int slot = (int) head & mask;
        PacketBuffer packet = slots[slot];
        slots[slot] = null;
        head++;
        return packet;
    }

    /**
     * The consumer is going to sleep and wants to be woken by the next packet.
     *
     * @return false if there is one already: do not sleep
     */
    boolean doze() {
        CONSUMER.setOpaque(this, AWAITS);
        // Pairs with the fence in publish.
        VarHandle.fullFence();
        if (head != tailSeen) {
            return false;
        }
        tailSeen = (long) TAIL.getAcquire(this);
        return head == tailSeen;
    }

    /** The consumer is awake. @return whether it was, or will be, woken by the other side */
    boolean stopDozing() {
        return !takeWait(CONSUMER);
    }

    /**
     * The consumer goes, and with it what it was sent: packets vanish from here on. Waits for the
     * end of a copy that is being made. Afterwards {@link #takeBack} hands out all buffers.
     *
     * @return whether the producer waits for room, and the caller owes it a wake-up
     */
    boolean leave() {
        while (!CLAIM.weakCompareAndSetAcquire(this, FREE, LEFT)) {
            if (isDeserted()) {
                return false;
            }
            Thread.onSpinWait();
        }
        VarHandle.fullFence();
        return takeWait(PRODUCER);
    }

    /** A buffer of the consumer's, with or without a packet; null if there are no more. */
    PacketBuffer takeBack() {
        if (head == nextPosted) {
            return null;
        }
        int slot = (int) head & mask;
        PacketBuffer buffer = slots[slot];
        slots[slot] = null;
        head++;
        return buffer;
    }

    private boolean takeWait(VarHandle flag) {
        return (int) flag.getOpaque(this) == AWAITS && flag.compareAndSet(this, AWAITS, QUIET);
    }
}
