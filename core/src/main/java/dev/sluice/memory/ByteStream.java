package dev.sluice.memory;

import dev.sluice.memory.BlockPool.Block;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The outgoing bytes of one direction of one connection, between one producer and one consumer.
 *
 * <p>The producer, a thread of the application, appends. The consumer, the owner of the stack,
 * copies ranges out as often as it likes and releases them from the front. Positions are stream
 * offsets; the first byte is 1. Bytes live in a chain of blocks; a stream from which everything was
 * released holds none. Nothing is allocated on the heap, and the object is 40 bytes.
 *
 * <p>Instead of bytes the producer may append <em>synthetic</em> ones, which have the content of
 * {@link SyntheticContent} and need no block. A stream holds either real or synthetic bytes.
 *
 * <p><b>Ordering</b> (architecture section 8). The word {@code endWord} carries the published end
 * and, in its upper bits, who may touch the tail of the chain. The producer sets WRITING before it
 * looks at the tail and drops it when it publishes the new end; the consumer takes the last block
 * away only by a compare-and-set from a word without WRITING to one with CHAINLESS. Both are
 * volatile, so that bytes, links and {@code first} written before are seen after. If the consumer
 * finds the producer writing it leaves DRAINED behind, and the producer takes the block away itself
 * if it appended nothing. {@code head} goes the other way with release and acquire. When the
 * consumer closes the stream while the producer is inside, the producer, the last to leave, gives
 * the blocks back.
 */
public final class ByteStream {
    /** What {@code put} returns when the consumer has closed the stream. */
    public static final int CLOSED = -1;

    /** Offset of the first byte. */
    public static final long FIRST = 1;

    /** The producer is appending; only it may touch the tail. */
    private static final long WRITING = 1L << 63;

    /**
     * There are no blocks: {@code first} and {@code last} mean nothing. Unreleased bytes are
     * synthetic.
     */
    private static final long CHAINLESS = 1L << 62;

    /** The consumer has released everything while the producer was appending. */
    private static final long DRAINED = 1L << 61;

    /** The consumer has left. */
    private static final long ENDED = 1L << 60;

    private static final long POSITION = ENDED - 1;

    private static final VarHandle END;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            END = lookup.findVarHandle(ByteStream.class, "endWord", long.class);
            HEAD = lookup.findVarHandle(ByteStream.class, "head", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final BlockPool pool;
    private long endWord = FIRST | CHAINLESS;
    private long head = FIRST;

    /** Written by the producer when it begins a chain, by the consumer when it releases. */
    private Block first;

    /** Producer only. */
    private Block last;

    public ByteStream(BlockPool pool) {
        this.pool = pool;
    }

    /** One past the last byte appended. Either side. */
    public long end() {
        return (long) END.getAcquire(this) & POSITION;
    }

    /** First byte not released. Either side. */
    public long head() {
        return (long) HEAD.getAcquire(this);
    }

    /** Bytes appended and not released. Either side. */
    public long size() {
        long from = head();
        return end() - from;
    }

    /** Whether the unreleased bytes are synthetic; false if there are none. Either side. */
    public boolean isSynthetic() {
        long word = (long) END.getAcquire(this);
        return (word & CHAINLESS) != 0 && (word & POSITION) > head();
    }

    /**
     * Appends bytes. Producer only.
     *
     * @return how many: fewer than {@code length}, even 0, if the pool is used up; {@link #CLOSED}
     *     if the consumer has closed the stream
     * @throws IllegalStateException if there are unreleased synthetic bytes
     */
    public int put(byte[] source, int from, int length) {
        return put(source, null, null, from, length);
    }

    /** Appends bytes of a segment; otherwise as {@link #put(byte[], int, int)}. */
    public int put(MemorySegment source, long from, long length) {
        return put(null, source, null, from, length);
    }

    /** Appends what remains in the buffer and moves its position; otherwise as the other forms. */
    public int put(ByteBuffer source) {
        int from = source.position();
        int done = put(null, null, source, from, source.remaining());
        if (done > 0) {
            source.position(from + done);
        }
        return done;
    }

    /**
     * Appends synthetic bytes. Producer only.
     *
     * @return {@code length}, or {@link #CLOSED}
     * @throws IllegalStateException if there are unreleased real bytes
     */
    public int putSynthetic(int length) {
        long word = (long) END.getVolatile(this);
        if ((word & ENDED) != 0) {
            return CLOSED;
        }
        if ((word & CHAINLESS) == 0) {
            throw new IllegalStateException("synthetic bytes after real ones");
        }
        // Nobody else writes the word of a chainless stream, except to end it.
        boolean open = END.compareAndSet(this, word, word + length);
        return open ? length : CLOSED;
    }

    /**
     * Copies {@code length} bytes from {@code offset} on, which must be unreleased. Consumer only.
     */
    public void copyOut(long offset, int length, MemorySegment destination, long position) {
        assert offset >= head && offset + length <= end();
        if (((long) END.getAcquire(this) & CHAINLESS) != 0) {
            SyntheticContent.fill(destination, position, offset, length);
            return;
        }
        int done = 0;
        while (done < length) {
            Block block = find(offset + done);
            int within = (int) (offset + done - block.start);
            int chunk = Math.min(length - done, pool.blockBytes() - within);
            MemorySegment.copy(
                    block.slab, block.base + within, destination, position + done, chunk);
            done += chunk;
        }
    }

    /** The memory that holds the byte at {@code offset}; null if it is synthetic. Consumer only. */
    public MemorySegment segmentAt(long offset) {
        return ((long) END.getAcquire(this) & CHAINLESS) != 0 ? null : find(offset).slab;
    }

    /** Where in {@link #segmentAt} that byte is. Real bytes, consumer only. */
    public long addressAt(long offset) {
        Block block = find(offset);
        return block.base + (offset - block.start);
    }

    /**
     * How many bytes from {@code offset} on follow each other in that memory. Real bytes, consumer
     * only.
     */
    public int contiguousAt(long offset) {
        Block block = find(offset);
        return (int) (Math.min(block.start + pool.blockBytes(), end()) - offset);
    }

    /** Forgets everything before {@code newHead} and gives its blocks back. Consumer only. */
    public void release(long newHead) {
        long word = (long) END.getAcquire(this);
        long end = word & POSITION;
        assert newHead >= head && newHead <= end;
        if ((word & CHAINLESS) == 0) {
            while (first.start + pool.blockBytes() <= newHead
                    && first.start + pool.blockBytes() < end) {
                dropFirst();
            }
        }
        HEAD.setRelease(this, newHead);
        while (newHead == end && (word & (CHAINLESS | DRAINED)) == 0) {
            Block drained = first;
            boolean writing = (word & WRITING) != 0;
            if (END.compareAndSet(this, word, word | (writing ? DRAINED : CHAINLESS))) {
                if (!writing) {
                    pool.release(drained);
                }
                return;
            }
            word = (long) END.getAcquire(this);
            end = word & POSITION;
        }
    }

    /**
     * Gives up all bytes and refuses further ones. Consumer only, once; what the consumer may do
     * afterwards is ask for {@link #end}.
     */
    public void close() {
        long before = (long) END.getAndBitwiseOr(this, ENDED);
        if ((before & (WRITING | ENDED | CHAINLESS)) == 0) {
            releaseChain();
        }
    }

    /** Whether the consumer has closed the stream. Either side. */
    public boolean isClosed() {
        return ((long) END.getAcquire(this) & ENDED) != 0;
    }

    private int put(
            byte[] array, MemorySegment segment, ByteBuffer buffer, long from, long length) {
        long word = (long) END.getVolatile(this);
        while (true) {
            if ((word & ENDED) != 0) {
                return CLOSED;
            }
            if (length <= 0) {
                return 0;
            }
            long found = (long) END.compareAndExchange(this, word, word | WRITING);
            if (found == word) {
                break;
            }
            word = found;
        }
        long position = word & POSITION;
        boolean chainless = (word & CHAINLESS) != 0;
        if (chainless && position > head()) {
            END.getAndBitwiseAnd(this, ~WRITING);
            throw new IllegalStateException("real bytes after synthetic ones");
        }
        Block block = chainless ? null : last;
        int done = 0;
        while (done < length && done < Integer.MAX_VALUE - pool.blockBytes()) {
            if (block == null || position + done == block.start + pool.blockBytes()) {
                block = append(block, position + done);
                if (block == null) {
                    break;
                }
            }
            int within = (int) (position + done - block.start);
            int chunk = (int) Math.min(length - done, pool.blockBytes() - within);
            if (array != null) {
                MemorySegment.copy(
                        array,
                        (int) from + done,
                        block.slab,
                        ValueLayout.JAVA_BYTE,
                        block.base + within,
                        chunk);
            } else if (segment != null) {
                MemorySegment.copy(segment, from + done, block.slab, block.base + within, chunk);
            } else {
                block.bytes.put(block.base + within, buffer, (int) from + done, chunk);
            }
            done += chunk;
        }
        return publish(position, done, chainless && done == 0);
    }

    /** Links a new block behind {@code tail}; null if the pool has none. */
    private Block append(Block tail, long start) {
        Block block = pool.acquire();
        if (block == null) {
            return null;
        }
        block.start = start;
        if (tail == null) {
            first = block;
        } else {
            tail.next = block;
        }
        last = block;
        return block;
    }

    private int publish(long position, int done, boolean chainless) {
        long published = position + done | (chainless ? CHAINLESS : 0);
        while (true) {
            long word = (long) END.getVolatile(this);
            boolean ended = (word & ENDED) != 0;
            boolean drained = (word & DRAINED) != 0 && done == 0;
            long next =
                    ended
                            ? position | ENDED | CHAINLESS
                            : drained ? position | CHAINLESS : published;
            if (END.compareAndSet(this, word, next)) {
                if ((ended || drained) && !chainless) {
                    releaseChain();
                }
                return ended ? CLOSED : done;
            }
        }
    }

    private void releaseChain() {
        Block block = first;
        while (block != null) {
            Block next = block.next;
            pool.release(block);
            block = next;
        }
    }

    private void dropFirst() {
        Block dropped = first;
        Block next = dropped.next;
        next.front = dropped.front == dropped ? null : dropped.front;
        next.recent = dropped.recent == dropped ? null : dropped.recent;
        first = next;
        pool.release(dropped);
    }

    /**
     * The block with the byte at {@code offset}. New data is looked for where the consumer was
     * farthest, retransmissions at the head or where it looked last, so that chains are not walked
     * from the start.
     */
    private Block find(long offset) {
        Block anchor = first;
        Block block = anchor;
        if (anchor.recent != null && anchor.recent.start <= offset) {
            block = anchor.recent;
        }
        if (anchor.front != null && anchor.front.start <= offset) {
            block = anchor.front;
        }
        while (offset - block.start >= pool.blockBytes()) {
            block = block.next;
        }
        anchor.recent = block;
        if (anchor.front == null || block.start > anchor.front.start) {
            anchor.front = block;
        }
        return block;
    }
}
