package dev.sluice.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * One packet in pooled off-heap memory.
 *
 * <p>A buffer is a fixed slab of memory ({@link #segment()} from {@link #base()}, {@link
 * #capacity()} bytes long) and a window into it, {@link #offset()} and {@link #length()}, both in
 * bytes and relative to the base. It is passed by reference and never sliced. A buffer has one
 * owner at a time: whoever is handed it sends it, keeps it, or gives it back with {@link
 * PacketPool#release}.
 *
 * <p>Payload may be <em>synthetic</em>: {@link #syntheticLength()} bytes that follow the real bytes
 * without being stored. Their content is a function of the stream offset they were written at,
 * {@link #syntheticOffset()}, so that a checker can still tell a misplaced byte range (architecture
 * section 10). All lengths on the wire and all truesize count them.
 *
 * <p>A <em>super-segment</em> holds several TCP segments behind one header: {@link #segmentSize()}
 * is the payload of each but the last and {@link #segmentCount()} their number; 0 and 1 for an
 * ordinary packet (B-12.1). Received super-segments may be chains: {@link #chain()} links further
 * buffers whose window is payload only and continues the payload of this one.
 */
public final class PacketBuffer {
    /** The checksum was neither computed nor checked; the receiver must check it. */
    public static final byte CHECKSUM_UNVERIFIED = 0;

    /** The device or a trusted peer vouches for the transport checksum. */
    public static final byte CHECKSUM_VERIFIED = 1;

    /** Outgoing: the checksum field holds the pseudo-header sum and the device completes it. */
    public static final byte CHECKSUM_PARTIAL = 2;

    /**
     * The packet was damaged on the way and the damage cannot be shown in bytes that are not
     * stored.
     */
    public static final byte CHECKSUM_BAD = 3;

    private final MemorySegment segment;
    private final ByteBuffer bytes;
    private final long base;
    private final int capacity;

    private int offset;
    private int length;
    private int syntheticLength;
    private long syntheticOffset;
    private int segmentSize;
    private int segmentCount = 1;
    private int truesize;
    private byte checksum;
    private long timeNanos;
    private PacketBuffer chain;
    private PacketBuffer next;
    private TransmitOwner owner;
    private boolean free;
    private int interfaceIndex;

    /** Called by the pool, which carves slabs into buffers. */
    PacketBuffer(MemorySegment segment, ByteBuffer bytes, long base, int capacity) {
        this.segment = segment;
        this.bytes = bytes;
        this.base = base;
        this.capacity = capacity;
    }

    /** The slab; addresses in it are {@code base() + offset() + i}. */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * The slab once more, for copies to and from byte buffers; its position and limit stay as they
     * are.
     */
    public ByteBuffer bytes() {
        return bytes;
    }

    public long base() {
        return base;
    }

    public int capacity() {
        return capacity;
    }

    /** Where in the slab the window starts, {@code base() + offset()}. */
    public long start() {
        return base + offset;
    }

    /** Start of the window, in bytes from the base. */
    public int offset() {
        return offset;
    }

    /** Stored bytes in the window; synthetic payload is not among them. */
    public int length() {
        return length;
    }

    /** Stored and synthetic bytes together: what the packet measures on the wire. */
    public int wireLength() {
        return length + syntheticLength;
    }

    public void window(int newOffset, int newLength) {
        assert newOffset >= 0 && newLength >= 0 && newOffset + newLength <= capacity;
        offset = newOffset;
        length = newLength;
    }

    public int syntheticLength() {
        return syntheticLength;
    }

    /** Stream offset, on the sending side, of the first synthetic byte. */
    public long syntheticOffset() {
        return syntheticOffset;
    }

    public void synthetic(long streamOffset, int bytes) {
        syntheticOffset = streamOffset;
        syntheticLength = bytes;
    }

    public int segmentSize() {
        return segmentSize;
    }

    public int segmentCount() {
        return segmentCount;
    }

    public void segments(int size, int count) {
        segmentSize = size;
        segmentCount = count;
    }

    /** Memory this packet stands for, metadata included (B-7.2), in bytes. */
    public int truesize() {
        return truesize;
    }

    public void truesize(int bytes) {
        truesize = bytes;
    }

    public byte checksum() {
        return checksum;
    }

    public void checksum(byte state) {
        checksum = state;
    }

    /**
     * Arrival time of a received packet; earliest departure time of an outgoing one (0: at once).
     */
    public long timeNanos() {
        return timeNanos;
    }

    public void timeNanos(long nanos) {
        timeNanos = nanos;
    }

    /** The next buffer of a received super-segment, payload only; null at the end. */
    public PacketBuffer chain() {
        return chain;
    }

    public void chain(PacketBuffer buffer) {
        chain = buffer;
    }

    /** Intrusive link for whatever list the current owner keeps. */
    public PacketBuffer next() {
        return next;
    }

    public void next(PacketBuffer buffer) {
        next = buffer;
    }

    /** Who is told when the device has finished with this outgoing packet; null for nobody. */
    public TransmitOwner owner() {
        return owner;
    }

    public void owner(TransmitOwner transmitOwner) {
        owner = transmitOwner;
    }

    /** Whether the buffer is in the pool and belongs to nobody. */
    boolean isFree() {
        return free;
    }

    void free(boolean inPool) {
        free = inPool;
    }

    /** Index, in its stack, of the interface an outgoing packet leaves by. */
    public int interfaceIndex() {
        return interfaceIndex;
    }

    public void interfaceIndex(int index) {
        interfaceIndex = index;
    }

    /** Back to the state of a buffer fresh from the pool. */
    void reset() {
        offset = 0;
        length = 0;
        syntheticLength = 0;
        syntheticOffset = 0;
        segmentSize = 0;
        segmentCount = 1;
        truesize = 0;
        checksum = CHECKSUM_UNVERIFIED;
        timeNanos = 0;
        chain = null;
        next = null;
        owner = null;
        interfaceIndex = 0;
    }
}
