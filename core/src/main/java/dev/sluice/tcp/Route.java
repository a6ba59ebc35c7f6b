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

    /**
     * @param interfaceIndex index of the interface in its stack
     * @param mtu largest IP packet, bytes
     * @param lockedMss advertised MSS that the route prescribes; 0 for none
     * @param segmentation the device splits super-segments (TSO)
     * @param checksumOffload the device completes transport checksums
     * @param gsoMaxBytes largest super-segment, headers included, bytes
     */
    public Route(
            int interfaceIndex,
            int mtu,
            int lockedMss,
            boolean segmentation,
            boolean checksumOffload,
            int gsoMaxBytes) {
        this.interfaceIndex = interfaceIndex;
        this.mtu = mtu;
        this.lockedMss = lockedMss;
        this.segmentation = segmentation;
        this.checksumOffload = checksumOffload;
        this.gsoMaxBytes = gsoMaxBytes;
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

    public int gsoMaxBytes() {
        return gsoMaxBytes;
    }
}
