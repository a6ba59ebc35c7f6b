package dev.sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The incoming bytes of one direction of one connection, in order, in the packets they came in.
 *
 * <p>The owner of the stack appends packet buffers whose window is payload only; the reader, a
 * thread of the application, copies bytes out or skips them. Positions are stream offsets; the
 * first byte is 1. From the moment a buffer is appended it belongs to the reader, who hands it back
 * when its last byte is read; the owner {@linkplain #reclaim collects} what was handed back,
 * returns it to the pool and learns how much truesize that was. A stream from which everything was
 * read holds no buffer. When a connection ends, what is left is {@linkplain #skip skipped} by the
 * reader, or by the owner if no reader can be inside. Nothing is allocated, and the object is 40
 * bytes.
 *
 * <p><b>Ordering</b> (architecture section 8). As in {@link ByteStream}, with the sides exchanged:
 * the owner sets APPENDING in {@code endWord} before it looks at the tail and drops it when it
 * publishes the new end; the reader takes the last buffer away only by a compare-and-set from a
 * word without APPENDING to one with CHAINLESS. If the owner is appending, the buffer is handed
 * back when the reader moves on to the next one. {@code readWord} goes the other way with release
 * and acquire. Finished buffers are pushed on {@code finished} with release and taken all at once
 * with acquire.
 */
public final class PacketStream {
    /** Offset of the first byte. */
    public static final long FIRST = 1;

    private static final long APPENDING = 1L << 63;
    private static final long CHAINLESS = 1L << 62;
    private static final long POSITION = CHAINLESS - 1;

    private static final VarHandle END;
    private static final VarHandle READ;
    private static final VarHandle FINISHED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            END = lookup.findVarHandle(PacketStream.class, "endWord", long.class);
            READ = lookup.findVarHandle(PacketStream.class, "readWord", long.class);
            FINISHED = lookup.findVarHandle(PacketStream.class, "finished", PacketBuffer.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private long endWord = FIRST | CHAINLESS;
    private long readWord = FIRST;

    /** The buffer to read from. Written by the owner when it begins a chain, then by the reader. */
    private PacketBuffer first;

    /** Owner only. */
    private PacketBuffer last;

    private PacketBuffer finished;

    /** A stream without bytes. */
    public PacketStream() {}

    /** One past the last byte appended. Either side. */
    public long end() {
        return (long) END.getAcquire(this) & POSITION;
    }

    /** The next byte to be read. Either side. */
    public long readPosition() {
        return (long) READ.getAcquire(this);
    }

    /** Bytes appended and not read. Either side. */
    public long available() {
        long from = readPosition();
        return end() - from;
    }

    /**
     * Appends the payload of a packet and of every buffer chained to it. Owner only; the buffer now
     * belongs to the stream.
     *
     * @param packet its window is payload only; real bytes come before synthetic ones
     * @return how many synthetic bytes are at a place they were not written for; anything but 0 is
     *     a bug of this stack and should end the run
     */
    public int append(PacketBuffer packet) {
        long word = (long) END.getVolatile(this);
        while (!END.compareAndSet(this, word, word | APPENDING)) {
            word = (long) END.getVolatile(this);
        }
        long position = word & POSITION;
        boolean chainless = (word & CHAINLESS) != 0;
        int misplaced = 0;
        PacketBuffer piece = packet;
        while (piece != null) {
            PacketBuffer chained = piece.chain();
            piece.chain(null);
            piece.next(null);
            if (piece.wireLength() == 0) {
                finish(piece);
            } else {
                boolean elsewhere = piece.syntheticOffset() != position + piece.length();
                if (piece.syntheticLength() > 0 && elsewhere) {
                    misplaced += piece.syntheticLength();
                }
                position += piece.wireLength();
                if (chainless) {
                    first = piece;
                } else {
                    last.next(piece);
                }
                chainless = false;
                last = piece;
            }
            piece = chained;
        }
        // Only a word without APPENDING is ever changed by the reader.
        END.setVolatile(this, position | (chainless ? CHAINLESS : 0));
        return misplaced;
    }

    /** Reads up to {@code length} bytes and returns how many there were. Reader only. */
    public int read(byte[] destination, int from, int length) {
        int ready = ready(length);
        copy(destination, null, null, from, ready);
        return skip(ready);
    }

    /** Reads up to {@code length} bytes and returns how many there were. Reader only. */
    public int read(MemorySegment destination, long from, int length) {
        int ready = ready(length);
        copy(null, destination, null, from, ready);
        return skip(ready);
    }

    /** Fills the buffer as far as possible, moves its position and returns how far. Reader only. */
    public int read(ByteBuffer destination) {
        int ready = peek(destination);
        destination.position(destination.position() + ready);
        return skip(ready);
    }

    /** As {@link #read(byte[], int, int)}, but the bytes stay. */
    public int peek(byte[] destination, int from, int length) {
        int ready = ready(length);
        copy(destination, null, null, from, ready);
        return ready;
    }

    /**
     * Fills the buffer as far as possible; neither its position nor the stream moves. Reader only.
     */
    public int peek(ByteBuffer destination) {
        int ready = ready(destination.remaining());
        copy(null, null, destination, destination.position(), ready);
        return ready;
    }

    /** Passes over up to {@code length} bytes without copying and returns how many. Reader only. */
    public int skip(int length) {
        long word = (long) END.getAcquire(this);
        long end = word & POSITION;
        long position = readWord;
        int ready = (int) Math.min(length, end - position);
        int left = ready;
        while (left > 0) {
            PacketBuffer buffer = first;
            int here = buffer.wireLength();
            if (left < here) {
                trimFront(buffer, left);
                position += left;
                break;
            }
            left -= here;
            position += here;
            if (position < end) {
                first = buffer.next();
                finish(buffer);
            } else {
                trimFront(buffer, here);
                READ.setRelease(this, position);
                finishLast(word, buffer);
                return ready;
            }
        }
        READ.setRelease(this, position);
        return ready;
    }

    /**
     * Gives back to the pool what the reader has finished with. Owner only.
     *
     * @return the truesize of that, for the caller to uncharge
     */
    public int reclaim(PacketPool pool) {
        PacketBuffer buffer = (PacketBuffer) FINISHED.getOpaque(this);
        if (buffer == null) {
            return 0;
        }
        buffer = (PacketBuffer) FINISHED.getAndSetAcquire(this, (PacketBuffer) null);
        int truesize = 0;
        while (buffer != null) {
            PacketBuffer next = buffer.next();
            truesize += buffer.truesize();
            pool.release(buffer);
            buffer = next;
        }
        return truesize;
    }

    private void finishLast(long seen, PacketBuffer buffer) {
        long end = seen & POSITION;
        long word = seen;
        while (word == end) {
            if (END.compareAndSet(this, word, word | CHAINLESS)) {
                finish(buffer);
                return;
            }
            word = (long) END.getAcquire(this);
        }
        if ((word & APPENDING) == 0) {
            // The owner has appended behind it meanwhile, so it is no longer the last.
            first = buffer.next();
            finish(buffer);
        }
    }

    private void finish(PacketBuffer buffer) {
        PacketBuffer top;
        do {
            top = (PacketBuffer) FINISHED.getOpaque(this);
            buffer.next(top);
        } while (!FINISHED.weakCompareAndSetRelease(this, top, buffer));
    }

    private int ready(int length) {
        return (int) Math.min(length, end() - readWord);
    }

    /** Takes {@code bytes} away from the front; the buffer belongs to the reader. */
    private static void trimFront(PacketBuffer buffer, int bytes) {
        int real = Math.min(bytes, buffer.length());
        int synthetic = bytes - real;
        buffer.window(buffer.offset() + real, buffer.length() - real);
        if (synthetic > 0) {
            buffer.synthetic(
                    buffer.syntheticOffset() + synthetic, buffer.syntheticLength() - synthetic);
        }
    }

    private void copy(
            byte[] array, MemorySegment segment, ByteBuffer target, long from, int length) {
        PacketBuffer buffer = first;
        int done = 0;
        while (done < length) {
            int real = Math.min(buffer.length(), length - done);
            if (array != null) {
                int to = (int) from + done;
                MemorySegment.copy(
                        buffer.segment(), ValueLayout.JAVA_BYTE, buffer.start(), array, to, real);
            } else if (segment != null) {
                MemorySegment.copy(buffer.segment(), buffer.start(), segment, from + done, real);
            } else {
                target.put((int) from + done, buffer.bytes(), (int) buffer.start(), real);
            }
            done += real;
            int synthetic = Math.min(buffer.syntheticLength(), length - done);
            long offset = buffer.syntheticOffset();
            if (array != null) {
                SyntheticContent.fill(array, (int) from + done, offset, synthetic);
            } else if (segment != null) {
                SyntheticContent.fill(segment, from + done, offset, synthetic);
            } else {
                SyntheticContent.fill(target, (int) from + done, offset, synthetic);
            }
            done += synthetic;
            buffer = buffer.next();
        }
    }
}
