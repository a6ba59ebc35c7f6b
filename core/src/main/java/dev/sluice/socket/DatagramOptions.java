package dev.sluice.socket;

import dev.sluice.memory.Truesize;
import dev.sluice.stack.NetworkStack;
import dev.sluice.stack.UdpEndpoint;

/** What each option of a datagram socket takes and answers (Linux's {@code setsockopt}). */
final class DatagramOptions {
    private DatagramOptions() {}

    static int set(NetworkStack stack, UdpEndpoint e, SocketOption option, long value) {
        if (e.isClosed()) {
            return SocketError.EBADF.result();
        }
        boolean on = value != 0;
        switch (option) {
            case SO_REUSEADDR -> e.reuseAddress(on);
            case SO_REUSEPORT -> e.reusePort(on);
            case SO_BROADCAST -> e.broadcast(on);
            case SO_NO_CHECK -> e.noChecksum(on);
            case SO_SNDBUF -> {
                long asked = Math.min(Math.max(0, value), stack.config().coreWmemMax);
                e.sendBuffer(doubled(asked, Truesize.MIN_SEND_BUFFER));
            }
            case SO_RCVBUF -> {
                long asked = Math.min(Math.max(0, value), stack.config().coreRmemMax);
                e.receiveBuffer(doubled(asked, Truesize.MIN_RECEIVE_BUFFER));
            }
            case IP_TOS -> e.tos((int) value & 0xff);
            case IP_TTL -> {
                if (value != -1 && (value < 1 || value > 255)) {
                    return SocketError.EINVAL.result();
                }
                e.ttl(value == -1 ? stack.config().defaultTtl : (int) value);
            }
            case IP_MTU_DISCOVER -> {
                if (value < 0 || value > 5) {
                    return SocketError.EINVAL.result();
                }
                e.discover((int) value);
            }
            case IPV6_V6ONLY -> {
                if (e.isIpv4Only()) {
                    return SocketError.ENOPROTOOPT.result();
                }
                if (e.localPort() != 0) {
                    return SocketError.EINVAL.result();
                }
                e.ipv6Only(on);
            }
            default -> {
                return SocketError.ENOPROTOOPT.result();
            }
        }
        return 0;
    }

    private static int doubled(long asked, int least) {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(2 * asked, least));
    }

    static long get(long now, NetworkStack stack, UdpEndpoint e, SocketOption option) {
        return switch (option) {
            case SO_REUSEADDR -> e.reuseAddress() ? 1 : 0;
            case SO_REUSEPORT -> e.reusePort() ? 1 : 0;
            case SO_BROADCAST -> e.broadcast() ? 1 : 0;
            case SO_NO_CHECK -> e.noChecksum() ? 1 : 0;
            case SO_ERROR -> -DatagramSocket.result(e.takeError());
            case SO_SNDBUF -> e.sendBuffer();
            case SO_RCVBUF -> e.receiveBuffer();
            case IP_TOS -> e.tos();
            case IP_TTL -> e.ttl();
            case IP_MTU_DISCOVER -> e.discover();
            case IP_MTU ->
                    e.isConnected()
                            ? stack.udp().output().pathMtu(now, e)
                            : SocketError.ENOTCONN.result();
            case IPV6_V6ONLY ->
                    e.isIpv4Only() ? SocketError.ENOPROTOOPT.result() : e.ipv6Only() ? 1 : 0;
            default -> SocketError.ENOPROTOOPT.result();
        };
    }
}
