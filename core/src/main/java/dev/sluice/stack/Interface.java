package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.tcp.DeviceQueue;
import dev.sluice.tcp.Route;
import dev.sluice.wire.IpAddress;

import java.util.Arrays;

/**
 * A network interface: addresses, MTU, what its device does for us, and the packets that wait for
 * the device.
 */
public final class Interface {
    /**
     * Packets that may wait for a device that refuses, as {@code txqueuelen} bounds them in Linux.
     */
    private static final int QUEUE_LIMIT = 4096;

    private final String name;
    private final int index;
    private int mtu;
    private int lockedMss;
    private boolean segmentation;
    private boolean checksumOffload;
    private int gsoMaxBytes;
    private boolean transmitsAtOnce;
    private boolean paces;
    private boolean loopback;

    private long[] addresses = new long[0];
    private int[] prefixLengths = new int[0];
    private int addressCount;

    /** Remade when anything it says changes; connections that exist follow. */
    private Route route;

    private PacketBuffer queueHead;
    private PacketBuffer queueTail;
    private final DeviceQueue queue = new DeviceQueue(QUEUE_LIMIT);

    Interface(String name, int index, int mtu, int gsoMaxBytes) {
        this.name = name;
        this.index = index;
        this.mtu = mtu;
        this.gsoMaxBytes = gsoMaxBytes;
        remakeRoute();
    }

    public String name() {
        return name;
    }

    public int index() {
        return index;
    }

    /** Largest IP packet, in bytes. */
    public int mtu() {
        return mtu;
    }

    public void mtu(int bytes) {
        mtu = bytes;
        remakeRoute();
    }

    /** MSS that the route prescribes ({@code ip route … advmss}), in bytes; 0 for none. */
    public void lockedMss(int bytes) {
        lockedMss = bytes;
        remakeRoute();
    }

    /**
     * What the device does for us.
     *
     * @param tso it splits super-segments into packets of the MTU (B-12.1)
     * @param checksum it completes transport checksums
     */
    public void offloads(boolean tso, boolean checksum) {
        segmentation = tso;
        checksumOffload = checksum;
        remakeRoute();
    }

    /** Largest super-segment, IP header included, in bytes. */
    public void gsoMaxBytes(int bytes) {
        gsoMaxBytes = bytes;
        remakeRoute();
    }

    /**
     * The device has finished with a packet as soon as it has taken it, as a TUN device has: there
     * are no transmit completions, so neither small queues nor autocorking hold anything (B-2.7,
     * B-2.8).
     */
    public void transmitsAtOnce(boolean atOnce) {
        transmitsAtOnce = atOnce;
        remakeRoute();
    }

    /** Paces every connection, as Linux's fq queueing discipline makes TCP do (B-2.12). */
    public void paces(boolean all) {
        paces = all;
        remakeRoute();
    }

    /**
     * How many packets may wait for a device that refuses ({@code txqueuelen}); with 0 nothing
     * leaves. What finds no room is dropped, and its sender knows it (B-4.14).
     */
    public void queueLimit(int packets) {
        queue.limit(packets);
    }

    /** It leads back to this stack. */
    void becomeLoopback() {
        loopback = true;
    }

    boolean isLoopback() {
        return loopback;
    }

    private void remakeRoute() {
        Route old = route;
        route =
                new Route(
                        index,
                        mtu,
                        lockedMss,
                        segmentation,
                        checksumOffload,
                        gsoMaxBytes,
                        transmitsAtOnce,
                        paces,
                        queue);
        if (old != null) {
            old.replaceBy(route);
        }
    }

    Route route() {
        return route;
    }

    /** Adds a local address; {@code prefixLength} counts from the left of its own family. */
    public void addAddress(IpAddress address, int prefixLength) {
        if (2 * addressCount == addresses.length) {
            addresses = Arrays.copyOf(addresses, Math.max(4, addresses.length * 2));
            prefixLengths = Arrays.copyOf(prefixLengths, addresses.length / 2);
        }
        addresses[2 * addressCount] = address.hi();
        addresses[2 * addressCount + 1] = address.lo();
        prefixLengths[addressCount] = prefixLength;
        addressCount++;
    }

    public int addressCount() {
        return addressCount;
    }

    public IpAddress address(int i) {
        return new IpAddress(addresses[2 * i], addresses[2 * i + 1]);
    }

    int prefixLength(int i) {
        return prefixLengths[i];
    }

    boolean hasAddress(long hi, long lo) {
        for (int i = 0; i < addressCount; i++) {
            if (addresses[2 * i + 1] == lo && addresses[2 * i] == hi) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether that is everybody on this link: 255.255.255.255, or the last address of one of our
     * IPv4 networks (RFC 922). Networks of one or two hosts have none (RFC 3021).
     */
    boolean isBroadcast(long hi, long lo) {
        if (!IpAddress.isIpv4(hi, lo)) {
            return false;
        }
        if (IpAddress.isBroadcast(hi, lo)) {
            return true;
        }
        for (int i = 0; i < addressCount; i++) {
            long own = addresses[2 * i + 1];
            int length = prefixLengths[i];
            if (length <= 30
                    && IpAddress.isIpv4(addresses[2 * i], own)
                    && lo == (own | 0xffff_ffffL >>> length)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the destination is in the network of one of our addresses. */
    boolean reaches(long hi, long lo) {
        boolean ipv4 = IpAddress.isIpv4(hi, lo);
        for (int i = 0; i < addressCount; i++) {
            long ownHi = addresses[2 * i];
            long ownLo = addresses[2 * i + 1];
            if (ipv4 == IpAddress.isIpv4(ownHi, ownLo)
                    && IpAddress.inPrefix(hi, lo, ownHi, ownLo, prefixLengths[i])) {
                return true;
            }
        }
        return false;
    }

    /** Our address to talk to a destination of that family; null if we have none. */
    IpAddress sourceFor(long hi, long lo) {
        int i = sourceIndex(hi, lo);
        return i < 0 ? null : address(i);
    }

    /** Which of our addresses that is; -1 for none. */
    int sourceIndex(long hi, long lo) {
        boolean ipv4 = IpAddress.isIpv4(hi, lo);
        int found = -1;
        for (int i = 0; i < addressCount; i++) {
            if (ipv4 != IpAddress.isIpv4(addresses[2 * i], addresses[2 * i + 1])) {
                continue;
            }
            if (found < 0
                    || IpAddress.inPrefix(
                            hi, lo, addresses[2 * i], addresses[2 * i + 1], prefixLengths[i])) {
                found = i;
            }
        }
        return found;
    }

    long addressHi(int i) {
        return addresses[2 * i];
    }

    long addressLo(int i) {
        return addresses[2 * i + 1];
    }

    // ---- packets that wait for the device ----------------------------------------------------

    /** False if the queue is full: the caller drops the packet. */
    boolean enqueue(PacketBuffer packet) {
        if (queue.isFull()) {
            return false;
        }
        packet.next(null);
        if (queueTail == null) {
            queueHead = packet;
        } else {
            queueTail.next(packet);
        }
        queueTail = packet;
        queue.add(1);
        return true;
    }

    /** The device refused the packet just taken off: it is first again. */
    void putBack(PacketBuffer packet) {
        packet.next(queueHead);
        queueHead = packet;
        if (queueTail == null) {
            queueTail = packet;
        }
        queue.add(1);
    }

    PacketBuffer peek() {
        return queueHead;
    }

    PacketBuffer dequeue() {
        PacketBuffer packet = queueHead;
        queueHead = packet.next();
        if (queueHead == null) {
            queueTail = null;
        }
        packet.next(null);
        queue.add(-1);
        return packet;
    }

    /** Packets that wait for the device. */
    public int queued() {
        return queue.waiting();
    }
}
