package dev.sluice.tcp;

/**
 * How packets of a connection leave: what it needs to know of the interface and the path. Made by
 * the stack, shared by all connections that leave the same way.
 */
public final class Route {
    private final int interfaceIndex;
    private final int mtu;
    private final int lockedMss;
    private final boolean segmentation;
    private final boolean checksumOffload;
    private final int gsoMaxBytes;
    private final boolean transmitsAtOnce;
    private final boolean paces;
    private final DeviceQueue queue;
    private Route successor;

    /**
     * @param interfaceIndex index of the interface in its stack
     * @param mtu largest IP packet, bytes
     * @param lockedMss advertised MSS that the route prescribes; 0 for none
     * @param segmentation the device splits super-segments (TSO)
     * @param checksumOffload the device completes transport checksums
     * @param gsoMaxBytes largest super-segment, headers included, bytes
     * @param transmitsAtOnce the device has finished with a packet when it has taken it
     * @param paces every connection is paced, as under Linux's fq queueing discipline (B-2.12)
     * @param queue the packets that wait for the device
     */
    public Route(
            int interfaceIndex,
            int mtu,
            int lockedMss,
            boolean segmentation,
            boolean checksumOffload,
            int gsoMaxBytes,
            boolean transmitsAtOnce,
            boolean paces,
            DeviceQueue queue) {
        this.interfaceIndex = interfaceIndex;
        this.mtu = mtu;
        this.lockedMss = lockedMss;
        this.segmentation = segmentation;
        this.checksumOffload = checksumOffload;
        this.gsoMaxBytes = gsoMaxBytes;
        this.transmitsAtOnce = transmitsAtOnce;
        this.paces = paces;
        this.queue = queue;
    }

    public int interfaceIndex() {
        return interfaceIndex;
    }

    public int mtu() {
        return mtu;
    }

    public int lockedMss() {
        return lockedMss;
    }

    public boolean segmentation() {
        return segmentation;
    }

    public boolean checksumOffload() {
        return checksumOffload;
    }

    /** No transmit completions: nothing of a connection ever waits in the device (B-2.8). */
    public boolean transmitsAtOnce() {
        return transmitsAtOnce;
    }

    /** Every connection is paced, whatever its congestion control wants. */
    public boolean paces() {
        return paces;
    }

    /** The packets that wait for the device. */
    public DeviceQueue queue() {
        return queue;
    }

    /** From now on {@code next} is the way; connections change over when they have sent. */
    public void replaceBy(Route next) {
        successor = next;
    }

    boolean isReplaced() {
        return successor != null;
    }

    Route latest() {
        Route route = this;
        while (route.successor != null) {
            route = route.successor;
        }
        return route;
    }

    public int gsoMaxBytes() {
        return gsoMaxBytes;
    }
}
