package dev.sluice.runtime.nio;

import dev.sluice.wire.IpAddress;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** Addresses as Java has them and as the stack has them. */
final class Addresses {
    private static final int IPV4_BYTES = 4;

    private Addresses() {}

    /**
     * The address if a channel may use it.
     *
     * @throws NullPointerException if it is null
     * @throws UnsupportedAddressTypeException if it is not an internet address of a family of the
     *     channel
     * @throws UnresolvedAddressException if it is only a name
     */
    static InetSocketAddress check(SocketAddress address, boolean ipv4Only) {
        if (address == null) {
            throw new NullPointerException();
        }
        if (!(address instanceof InetSocketAddress internet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        if (ipv4Only && !(internet.getAddress() instanceof Inet4Address)) {
            throw new UnsupportedAddressTypeException();
        }
        return internet;
    }

    /** The address to bind to: that of {@link #check}, or any address and port for null. */
    static InetSocketAddress checkLocal(SocketAddress address, boolean ipv4Only) {
        return address == null
                ? socketAddress(IpAddress.ANY4.hi(), IpAddress.ANY4.lo(), 0)
                : check(address, ipv4Only);
    }

    static IpAddress ip(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.remaining() == IPV4_BYTES
                ? IpAddress.ipv4(bytes.getInt())
                : new IpAddress(bytes.getLong(), bytes.getLong());
    }

    /** The local address that {@code address} stands for: any address means both families. */
    static IpAddress local(InetAddress address, boolean ipv4Only) {
        if (!address.isAnyLocalAddress()) {
            return ip(address);
        }
        return ipv4Only ? IpAddress.ANY4 : IpAddress.ANY6;
    }

    /** The remote address that {@code address} stands for: any address means this host. */
    static InetSocketAddress remote(InetSocketAddress address) {
        if (!address.getAddress().isAnyLocalAddress()) {
            return address;
        }
        byte[] loopback = address.getAddress().getAddress();
        if (loopback.length == IPV4_BYTES) {
            loopback[0] = 127;
        }
        loopback[loopback.length - 1] = 1;
        return new InetSocketAddress(inet(loopback), address.getPort());
    }

    static InetSocketAddress socketAddress(long hi, long lo, int port) {
        boolean ipv4 = IpAddress.isIpv4(hi, lo);
        byte[] bytes =
                ipv4
                        ? ByteBuffer.allocate(IPV4_BYTES).putInt((int) lo).array()
                        : ByteBuffer.allocate(2 * Long.BYTES).putLong(hi).putLong(lo).array();
        return new InetSocketAddress(inet(bytes), port);
    }

    private static InetAddress inet(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // only for another number of bytes
        }
    }
}
