package dev.sluice.socket;

import static dev.sluice.testkit.Setup.ipv6;
import static dev.sluice.testkit.Setup.mtu;
import static dev.sluice.testkit.Setup.sysctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.UdpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Whatever comes and whatever the application does: no exception, and nothing is lost. */
class DatagramFuzzTest {
    private static final int PACKETS = 20_000;
    private static final int FIRST_PORT = 5000;
    private static final int SOCKETS = 6;

    @Test
    void random_packets_do_no_harm() {
        for (Setup family : List.of(mtu(1500), ipv6())) {
            Rng rng = new Rng(99);
            try (var udp = UdpTest.start(family, sysctl("net.ipv4.icmp_msgs_per_sec", 100_000))) {
                List<DatagramSocket> sockets = new ArrayList<>();
                for (int i = 0; i < SOCKETS; i++) {
                    sockets.add(
                            i % 2 == 0
                                    ? udp.bound(FIRST_PORT + i)
                                    : udp.connected(FIRST_PORT + i, 1));
                }
                long read = 0;
                for (int i = 0; i < PACKETS; i++) {
                    udp.deliver(mutate(rng, template(rng, udp)));
                    DatagramSocket socket = sockets.get(rng.nextInt(SOCKETS));
                    read += use(rng, udp, socket);
                    if (rng.chance(1, 100)) {
                        udp.after(rng.nextInt(3000));
                    }
                    udp.take();
                }
                assertThat(read).isGreaterThan(1000);
                assertThat(
                                udp.counted(Counter.UDP_IN_DATAGRAMS)
                                        + udp.counted(Counter.UDP6_IN_DATAGRAMS))
                        .isEqualTo(read);
            }
        }
    }

    private static int use(Rng rng, UdpTest udp, DatagramSocket socket) {
        switch (rng.nextInt(6)) {
            case 0 -> udp.send(socket, 1, "x".repeat(rng.nextInt(3000)));
            case 1 -> socket.takeError();
            case 2 -> socket.readySet();
            default -> {
                byte[] bytes = new byte[rng.nextInt(100)];
                return socket.receive(udp.now(), bytes, 0, bytes.length, 0) >= 0 ? 1 : 0;
            }
        }
        return 0;
    }

    private static byte[] template(Rng rng, UdpTest udp) {
        int port = FIRST_PORT + rng.nextInt(SOCKETS + 1);
        byte[] payload = new byte[rng.nextInt(200)];
        byte[] in = UdpTest.datagram(udp.remote, 1, udp.local, port, payload);
        byte[] out = UdpTest.datagram(udp.local, port, udp.remote, 1, payload);
        boolean v4 = udp.local.isIpv4();
        return switch (rng.nextInt(5)) {
            case 0 -> udp.error(v4 ? 3 : 1, rng.nextInt(16), rng.nextInt(2000), out);
            case 1 -> udp.error(v4 ? 3 : 2, v4 ? 4 : 0, rng.nextInt(2000), out);
            case 2 -> UdpTest.fragment(in, rng.nextInt(9), 0, 8, true);
            case 3 -> UdpTest.fragment(in, rng.nextInt(9), 8, payload.length + 8, false);
            default -> in;
        };
    }

    private static byte[] mutate(Rng rng, byte[] packet) {
        byte[] mutated = packet;
        int kind = rng.nextInt(10);
        if (kind == 0) {
            mutated = Arrays.copyOf(packet, rng.nextInt(packet.length + 1));
        } else if (kind == 1) {
            mutated = Arrays.copyOf(packet, packet.length + rng.nextInt(60));
        }
        int changes = rng.chance(1, 2) ? 0 : rng.nextInt(4);
        for (int i = 0; i < changes && mutated.length > 0; i++) {
            mutated[rng.nextInt(Math.min(mutated.length, 80))] = (byte) rng.nextInt(256);
        }
        boolean ipv4 = mutated.length >= 60 && mutated[0] >>> 4 == 4 && (mutated[0] & 0xf) >= 5;
        if (ipv4 && rng.chance(3, 4)) {
            UdpTest.sealIpv4(mutated);
        }
        return mutated;
    }
}
