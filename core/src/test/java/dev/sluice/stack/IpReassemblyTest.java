package dev.sluice.stack;

import static dev.sluice.testkit.Setup.ipv6;
import static dev.sluice.testkit.Setup.mtu;
import static dev.sluice.testkit.Setup.sysctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;
import dev.sluice.socket.DatagramSocket;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.TcpTest;
import dev.sluice.testkit.UdpTest;
import dev.sluice.trace.Counter;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Packets that arrive in pieces: put together, given up, or refused. */
@ExchangeTest
class IpReassemblyTest {
    private static final Setup IPV4 = mtu(1500);
    private static final List<Setup> FAMILIES = List.of(IPV4, ipv6());

    private static byte[] packet(UdpTest udp, String text) {
        return UdpTest.datagram(udp.remote, 4000, udp.local, 5000, text.getBytes());
    }

    private static String text(int length) {
        return "0123456789".repeat(length / 10 + 1).substring(0, length);
    }

    private static long fails(UdpTest udp) {
        return udp.counted(Counter.IP_REASM_FAILS) + udp.counted(Counter.IP6_REASM_FAILS);
    }

    private static long oks(UdpTest udp) {
        return udp.counted(Counter.IP_REASM_OKS) + udp.counted(Counter.IP6_REASM_OKS);
    }

    private static void deliver(UdpTest udp, List<byte[]> packets) {
        packets.forEach(udp::deliver);
    }

    @Test
    @Rfc({"RFC 791 section 3.2", "RFC 8200 section 4.5"})
    void any_order_will_do() {
        int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (Setup family : FAMILIES) {
            try (var udp = UdpTest.start(family)) {
                DatagramSocket socket = udp.bound(5000);
                for (int[] order : orders) {
                    List<byte[]> f = UdpTest.fragments(packet(udp, text(200)), 9, 64, 128);
                    for (int i : order) {
                        assertThat(udp.read(socket)).isNull();
                        udp.deliver(f.get(i));
                    }
                    assertThat(udp.read(socket)).isEqualTo(text(200));
                    assertThat(socket.sender()).isEqualTo(udp.remote);
                }
                boolean v4 = family == IPV4;
                assertThat(udp.counted(v4 ? Counter.IP_REASM_REQDS : Counter.IP6_REASM_REQDS))
                        .isEqualTo(18);
                assertThat(oks(udp)).isEqualTo(6);
                assertThat(fails(udp)).isZero();
                assertThat(udp.counted(v4 ? Counter.IP_IN_DELIVERS : Counter.IP6_IN_DELIVERS))
                        .isEqualTo(6);
            }
        }
    }

    @Test
    void the_largest_packet_there_can_be_is_put_together() {
        for (Setup family : FAMILIES) {
            try (var udp = UdpTest.start(family)) {
                DatagramSocket socket = udp.bound(5000);
                String text = text(family == IPV4 ? 65_507 : 65_527);
                int[] cuts = new int[44];
                for (int i = 0; i < cuts.length; i++) {
                    cuts[i] = 1448 * (i + 1);
                }
                deliver(udp, UdpTest.fragments(packet(udp, text), 9, cuts));
                assertThat(udp.read(socket)).isEqualTo(text);
            }
        }
    }

    @Test
    void a_segment_of_tcp_may_come_in_pieces() {
        var tcp = TcpTest.listen();
        byte[] syn = tcp.packet("< S 0:0(0) <mss 1000>");

        tcp.receiveBytes(UdpTest.fragment(syn, 7, 8, 24, false), "end").expectNothing();
        tcp.receiveBytes(UdpTest.fragment(syn, 7, 0, 8, true), "beginning");
        tcp.expect("> S. 0:0(0) ack 1 <...>");
    }

    @Test
    void packets_are_kept_apart() {
        try (var udp = UdpTest.start()) {
            IpAddress other = IpAddress.parse("192.0.2.7").address();
            DatagramSocket socket = udp.bound(5000);
            List<byte[]> a = UdpTest.fragments(packet(udp, "A".repeat(100)), 1, 64);
            List<byte[]> b = UdpTest.fragments(packet(udp, "B".repeat(100)), 2, 64);
            List<byte[]> c =
                    UdpTest.fragments(
                            UdpTest.datagram(
                                    other, 4000, udp.local, 5000, "C".repeat(100).getBytes()),
                            1,
                            64);
            deliver(udp, List.of(a.get(0), b.get(0), c.get(0), c.get(1), b.get(1), a.get(1)));

            assertThat(udp.read(socket)).isEqualTo("C".repeat(100));
            assertThat(socket.sender()).isEqualTo(other);
            assertThat(udp.read(socket)).isEqualTo("B".repeat(100));
            assertThat(udp.read(socket)).isEqualTo("A".repeat(100));
        }
    }

    @Test
    @Rfc("RFC 8200 section 4.5")
    void repetitions_are_ignored() {
        for (Setup family : FAMILIES) {
            try (var udp = UdpTest.start(family)) {
                DatagramSocket socket = udp.bound(5000);
                byte[] whole = packet(udp, text(300));
                List<byte[]> f = UdpTest.fragments(whole, 9, 64, 128, 192);
                deliver(udp, List.of(f.get(0), f.get(0), f.get(1), f.get(2), f.get(1)));
                udp.deliver(UdpTest.fragment(whole, 9, 0, 128, true));
                udp.deliver(UdpTest.fragment(whole, 9, 32, 160, true));
                udp.deliver(f.get(3));
                assertThat(udp.read(socket)).isEqualTo(text(300));
                assertThat(fails(udp)).isZero();
            }
        }
    }

    @Test
    @Rfc({"RFC 5722 section 4", "RFC 8200 section 4.5"})
    void an_overlap_ends_the_packet() {
        for (Setup family : FAMILIES) {
            int[][] overlaps = {{0, 72}, {56, 128}, {120, 136}, {0, 200}, {184, 200}};
            for (int[] o : overlaps) {
                try (var udp = UdpTest.start(family)) {
                    DatagramSocket socket = udp.bound(5000);
                    byte[] whole = packet(udp, text(300));
                    udp.deliver(UdpTest.fragment(whole, 9, 0, 64, true));
                    udp.deliver(UdpTest.fragment(whole, 9, 128, 192, true));
                    udp.deliver(UdpTest.fragment(whole, 9, o[0], o[1], true));
                    assertThat(fails(udp)).as("%d to %d", o[0], o[1]).isEqualTo(1);
                    assertThat(udp.counted(Counter.IP_REASM_OVERLAPS))
                            .isEqualTo(family == IPV4 ? 1 : 0);
                    assertThat(udp.outstanding()).isZero();
                    deliver(
                            udp,
                            List.of(
                                    UdpTest.fragment(whole, 9, 64, 128, true),
                                    UdpTest.fragment(whole, 9, 192, 308, false)));
                    assertThat(udp.read(socket)).isNull();
                }
            }
        }
    }

    @Test
    void ends_that_contradict_each_other_end_the_packet() {
        for (Setup family : FAMILIES) {
            try (var udp = UdpTest.start(family)) {
                DatagramSocket socket = udp.bound(5000);
                byte[] whole = packet(udp, text(300));
                byte[] last = UdpTest.fragment(whole, 9, 128, 200, false);
                byte[][] against = {
                    UdpTest.fragment(whole, 9, 200, 240, false),
                    UdpTest.fragment(whole, 9, 200, 240, true),
                    UdpTest.fragment(whole, 9, 64, 100, false),
                    UdpTest.fragment(whole, 9, 64, 64, true)
                };
                for (byte[] fragment : against) {
                    udp.deliver(last).deliver(fragment);
                    assertThat(udp.outstanding()).isZero();
                }
                assertThat(fails(udp)).isEqualTo(against.length);
                assertThat(udp.read(socket)).isNull();
            }
        }
    }

    @Test
    @Rfc({"RFC 1122 section 3.3.2", "RFC 8200 section 4.5"})
    void what_does_not_come_in_time_is_given_up_and_reported() {
        for (Setup family : FAMILIES) {
            try (var udp = UdpTest.start(family)) {
                boolean v4 = family == IPV4;
                DatagramSocket socket = udp.bound(5000);
                List<byte[]> f = UdpTest.fragments(packet(udp, text(200)), 9, 64);
                udp.deliver(f.get(0));
                long deadline = udp.now() + (v4 ? 30 : 60) * 1_000_000_000L;
                assertThat(udp.stack.nextDeadline()).isEqualTo(deadline);

                udp.after(v4 ? 29_999 : 59_999);
                assertThat(udp.take()).isEmpty();
                udp.after(1);
                UdpTest.Packet report = udp.takeOne();
                assertThat(report.icmpType()).isEqualTo(v4 ? 11 : 3);
                assertThat(report.icmpCode()).isEqualTo(1);
                assertThat(report.to()).isEqualTo(udp.remote);
                byte[] quoted = new byte[f.get(0).length];
                System.arraycopy(report.payload(), 8, quoted, 0, quoted.length);
                assertThat(quoted).isEqualTo(f.get(0));
                assertThat(udp.counted(v4 ? Counter.IP_REASM_TIMEOUT : Counter.IP6_REASM_TIMEOUT))
                        .isEqualTo(1);
                assertThat(fails(udp)).isEqualTo(1);
                udp.deliver(f.get(1));
                assertThat(udp.read(socket)).isNull();
            }
        }
    }

    @Test
    @Rfc("RFC 792")
    void without_the_first_fragment_there_is_nothing_to_report() {
        for (Setup family : FAMILIES) {
            try (var udp = UdpTest.start(family)) {
                udp.deliver(UdpTest.fragment(packet(udp, text(200)), 9, 64, 128, true));
                udp.after(60_000);
                assertThat(udp.take()).isEmpty();
                assertThat(fails(udp)).isEqualTo(1);
            }
        }
    }

    @Test
    void memory_is_bounded_and_time_frees_it() {
        try (var udp = UdpTest.start(sysctl("net.ipv4.ipfrag_high_thresh", 10_000))) {
            DatagramSocket socket = udp.bound(5000);
            for (int id = 1; id <= 100; id++) {
                udp.deliver(UdpTest.fragment(packet(udp, text(200)), id, 0, 64, true));
            }
            long held = udp.outstanding();
            assertThat(held * udp.truesize(84)).isBetween(10_000L, 10_000L + udp.truesize(84));
            assertThat(fails(udp)).isEqualTo(100 - held);

            udp.after(30_000).take();
            assertThat(udp.outstanding()).isZero();
            deliver(udp, UdpTest.fragments(packet(udp, text(200)), 9, 64));
            assertThat(udp.read(socket)).isEqualTo(text(200));
        }
        try (var udp = UdpTest.start(sysctl("net.ipv4.ipfrag_high_thresh", 0))) {
            deliver(udp, UdpTest.fragments(packet(udp, text(200)), 9, 64));
            assertThat(fails(udp)).isEqualTo(2);
        }
    }

    @Test
    void an_identification_that_came_round_again_starts_anew() {
        try (var udp = UdpTest.start(sysctl("net.ipv4.ipfrag_max_dist", 10))) {
            DatagramSocket socket = udp.bound(5000);
            byte[] old = packet(udp, "o".repeat(100));
            byte[] young = packet(udp, "y".repeat(100));
            udp.deliver(UdpTest.fragment(old, 7, 0, 64, true));
            for (int id = 100; id < 120; id++) {
                udp.deliver(UdpTest.fragment(old, id, 0, 64, true));
            }
            udp.deliver(UdpTest.fragment(young, 7, 64, 108, false));
            assertThat(udp.read(socket)).isNull();
            assertThat(fails(udp)).isEqualTo(1);
            udp.deliver(UdpTest.fragment(young, 7, 0, 64, true));
            assertThat(udp.read(socket)).isEqualTo("y".repeat(100));
        }
    }

    @Test
    @Rfc("RFC 3168 section 5.3")
    void one_congestion_mark_marks_the_whole_and_mixtures_are_refused() {
        int[][] cases = {
            {0, 0, 0}, {2, 2, 2}, {1, 1, 1}, {2, 3, 3}, {3, 1, 3}, {0, 2, -1}, {3, 0, -1}
        };
        for (int[] c : cases) {
            var tcp = TcpTest.listen();
            byte[] syn = tcp.packet("< S 0:0(0) <mss 1000>");
            byte[] first = UdpTest.fragment(syn, 7, 0, 8, true);
            byte[] last = UdpTest.fragment(syn, 7, 8, 24, false);
            first[1] = (byte) c[0];
            last[1] = (byte) c[1];
            UdpTest.sealIpv4(first);
            UdpTest.sealIpv4(last);
            tcp.receiveBytes(last, "last").receiveBytes(first, "first");
            assertThat(tcp.take().size()).as("%d and %d", c[0], c[1]).isEqualTo(c[2] < 0 ? 0 : 1);
            tcp.hasCounted(Counter.IP_REASM_FAILS, c[2] < 0 ? 1 : 0);
            tcp.end();
        }
    }

    @Test
    @Rfc("RFC 8200 section 4.5")
    void an_ipv6_fragment_that_is_no_multiple_of_eight_is_reported() {
        try (var udp = UdpTest.start(ipv6())) {
            udp.deliver(UdpTest.fragment(packet(udp, text(200)), 9, 0, 63, true));
            UdpTest.Packet report = udp.takeOne();
            assertThat(report.icmpType()).isEqualTo(4);
            assertThat(report.icmpCode()).isZero();
            assertThat(report.payload()[7]).isEqualTo((byte) 4);
            assertThat(udp.counted(Counter.IP6_IN_HDR_ERRORS)).isEqualTo(1);
        }
    }

    @Test
    void a_packet_that_would_be_too_long_is_refused() {
        try (var udp = UdpTest.start()) {
            byte[] evil = UdpTest.fragment(packet(udp, text(600)), 9, 0, 600, false);
            UdpTest.put16(evil, 6, 65_528 >>> 3);
            UdpTest.sealIpv4(evil);
            udp.deliver(evil);
            assertThat(udp.counted(Counter.IP_IN_HDR_ERRORS)).isEqualTo(1);
        }
        try (var udp = UdpTest.start(ipv6())) {
            byte[] evil = UdpTest.fragment(packet(udp, text(600)), 9, 0, 600, false);
            UdpTest.put16(evil, 42, 65_528);
            udp.deliver(evil);
            UdpTest.Packet report = udp.takeOne();
            assertThat(report.icmpType()).isEqualTo(4);
            assertThat(report.payload()[7]).isEqualTo((byte) 42);
        }
    }

    @Test
    void whatever_the_cuts_and_the_order_the_packet_is_the_same() {
        Rng rng = new Rng(20_25);
        for (Setup family : FAMILIES) {
            try (var udp = UdpTest.start(family)) {
                DatagramSocket socket = udp.bound(5000);
                for (int round = 0; round < 500; round++) {
                    String text = text(rng.nextInt(3000));
                    byte[] whole = packet(udp, text);
                    List<byte[]> pieces = cut(rng, whole, text.length() + 8, round);
                    for (int i = pieces.size() - 1; i > 0; i--) {
                        Collections.swap(pieces, i, rng.nextInt(i + 1));
                    }
                    deliver(udp, pieces);
                    assertThat(udp.read(socket)).as("round " + round).isEqualTo(text);
                }
                assertThat(fails(udp)).isZero();
            }
        }
    }

    private static List<byte[]> cut(Rng rng, byte[] whole, int length, int id) {
        List<byte[]> pieces = new ArrayList<>();
        int start = 0;
        while (start < length) {
            int end = Math.min(length, start + 8 * rng.between(1, 40));
            pieces.add(UdpTest.fragment(whole, id, start, end, end < length));
            if (start > 0 && end < length && rng.chance(1, 10)) {
                pieces.add(pieces.getLast());
            }
            start = end;
        }
        if (pieces.size() == 1) {
            pieces.set(0, whole); // a fragment that is the whole is none
        }
        return pieces;
    }

    @Test
    void no_fragment_does_harm() {
        Rng rng = new Rng(7);
        for (Setup family : FAMILIES) {
            Setup small =
                    sysctl(
                            family == IPV4
                                    ? "net.ipv4.ipfrag_high_thresh"
                                    : "net.ipv6.ip6frag_high_thresh",
                            300_000);
            try (var udp = UdpTest.start(family, small)) {
                DatagramSocket socket = udp.bound(5000);
                byte[] whole = packet(udp, text(1000));
                for (int i = 0; i < 20_000; i++) {
                    int start = 8 * rng.nextInt(125);
                    int end = Math.min(1008, start + rng.nextInt(200));
                    byte[] f =
                            UdpTest.fragment(whole, rng.nextInt(30), start, end, rng.nextBoolean());
                    udp.deliver(f);
                    if (rng.chance(1, 50)) {
                        udp.after(rng.nextInt(5000));
                    }
                    udp.take();
                    String read = udp.read(socket);
                    assertThat(read == null || text(1000).equals(read)).isTrue();
                    assertThat(udp.outstanding() * udp.truesize(100)).isLessThan(310_000);
                }
            }
        }
    }
}
