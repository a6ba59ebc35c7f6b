package dev.sluice.memory;

/**
 * What a packet is charged: the memory it really takes, metadata included (B-7.2).
 *
 * <p>The constants are models of how drivers place received frames; which one a stack uses decides
 * how much of its receive buffer it can advertise (B-7.3).
 */
public enum Truesize {
    /**
     * Each frame fills one or more halves of a 4 KiB page: what common NIC drivers do at MTU 1500.
     */
    HALF_PAGE("half-page", 2048),

    /** Each frame fills one or more pages. */
    PAGE("page", 4096),

    /** Data is handed over in the sender's memory: payload and metadata. */
    LOOPBACK("loopback", 64),

    /** The buffer of our own packet pool, and the object that describes it. */
    SLAB("slab", 0);

    /** Metadata of a packet: descriptor (256 bytes) and fragment table (320 bytes). */
    public static final int OVERHEAD = 256 + 320;

    /** Room kept in front of outgoing payload for all headers. */
    public static final int HEADER_ROOM = 320;

    /** Least truesize of a send buffer limit, {@code SOCK_MIN_SNDBUF}. */
    public static final int MIN_SEND_BUFFER = 4608;

    /** Least truesize of a receive buffer limit, {@code SOCK_MIN_RCVBUF}. */
    public static final int MIN_RECEIVE_BUFFER = 2304;

    private static final int BUFFER_OBJECT = 96;

    private final String label;
    private final int unit;

    Truesize(String label, int unit) {
        this.label = label;
        this.unit = unit;
    }

    /**
     * The model called {@code label} in the configuration.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Truesize of(String label) {
        for (Truesize model : values()) {
            if (model.label.equals(label)) {
                return model;
            }
        }
        throw new IllegalArgumentException("no truesize model is called " + label);
    }

    public String label() {
        return label;
    }

    /**
     * The charge for a received packet.
     *
     * @param length bytes of the packet, headers included
     * @param frames how many frames of the wire were merged into it
     * @param capacity capacity of the buffer it is in; only {@link #SLAB} looks at it
     */
    public int received(int length, int frames, int capacity) {
        if (this == SLAB) {
            return capacity + BUFFER_OBJECT;
        }
        int perFrame = Math.max(1, (length + frames - 1) / frames);
        return frames * ((perFrame + unit - 1) / unit * unit) + OVERHEAD;
    }

    /** The charge for a segment, or super-segment, with that much payload in the send queue. */
    public static int sent(int payload) {
        return payload + HEADER_ROOM + OVERHEAD;
    }

    /**
     * The send buffer that one full segment of {@code mss} is reckoned to need by auto-tuning
     * (B-7.11).
     */
    public static int sendBufferPerSegment(int mss) {
        int memory = mss + HEADER_ROOM + 320;
        return Integer.highestOneBit(2 * memory - 1) + 256;
    }
}
