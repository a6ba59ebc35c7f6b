package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.ipv6;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Sent;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;
import dev.sluice.wire.Checksum;
import dev.sluice.wire.IpProtocol;
import dev.sluice.wire.TcpHeader;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/** Whatever comes: counted, no exception, no reply where none is due, and nothing is lost. */
@ExchangeTest
class BadInputTest {
    private static final int IP = 20;
    private static final int MUTATIONS_PER_STATE = 10_000;

    private static TcpTest established(Setup... setups) {
        return TcpTest.established("mss 1000,sackOK,TS val 5 ecr 0,wscale 7", setups);
    }

    @Test
    @Rfc("RFC 1122 section 3.2.1.2")
    void every_truncation_of_a_packet_is_dropped() {
        for (Setup family : List.of(ipv6(), Setup.rttMillis(20))) {
            var tcp = established(family);
            byte[] packet = tcp.packet("< P. 1:101(100) ack 1 <TS val 25 ecr 20>");
            for (int length = 0; length < packet.length; length++) {
                tcp.receiveBytes(Arrays.copyOf(packet, length), "cut to " + length).expectNothing();
            }
            tcp.info().has("bytes_received", 0);
            tcp.receiveBytes(packet, "whole").discard().read(100);
        }
    }

    @Test
    void padding_behind_the_packet_is_not_part_of_it() {
        var tcp = established();
        byte[] packet = tcp.packet("< P. 1:11(10) ack 1 <TS val 25 ecr 20>");

        tcp.receiveBytes(Arrays.copyOf(packet, packet.length + 6), "padded").discard();
        tcp.info().has("bytes_received", 10);
        tcp.read(10);
    }

    @Test
    @Rfc({"RFC 9293 MUST-3", "RFC 1122 section 3.2.1.2"})
    void wrong_checksums_are_counted_and_not_answered() {
        var tcp = established();
        byte[] packet = tcp.packet("< P. 1:101(100) ack 1 <TS val 25 ecr 20>");
        for (int i = 0; i < packet.length; i++) {
            byte[] damaged = packet.clone();
            damaged[i] ^= 0x10;
            tcp.receiveBytes(damaged, "byte " + i + " damaged").expectNothing();
        }
        tcp.info().has("bytes_received", 0);
        assertThat(tcp.counted(Counter.TCP_IN_CSUM_ERRORS)).isGreaterThan(100);
        assertThat(tcp.counted(Counter.IP_IN_CSUM_ERRORS)).isBetween(10L, 20L);
    }

    @Test
    void header_lengths_that_make_no_sense_are_refused() {
        var tcp = established();
        for (int words = 0; words < 16; words++) {
            byte[] packet = tcp.packet("< . 1:1(0) ack 1 <TS val 25 ecr 20>");
            if (words >= 5 && words <= 8) {
                continue; // what is left of the options is then data
            }
            packet[IP + 12] = (byte) (words << 4);
            seal(packet);
            tcp.receiveBytes(packet, "data offset " + words).expectNothing();
        }
        assertThat(tcp.counted(Counter.TCP_IN_ERRS)).isPositive();
        for (int words = 0; words < 16; words++) {
            byte[] packet = tcp.packet("< . 1:1(0) ack 1 <TS val 25 ecr 20>");
            if (words == 5) {
                continue;
            }
            packet[0] = (byte) (0x40 | words);
            sealIp(packet, Math.min(words * 4, packet.length));
            tcp.receiveBytes(packet, "header length " + words).discard();
        }
        tcp.hasState(TcpState.ESTABLISHED);
    }

    @Test
    void a_total_length_beyond_the_packet_is_refused() {
        var tcp = established();
        byte[] packet = tcp.packet("< P. 1:11(10) ack 1 <TS val 25 ecr 20>");
        packet[3] += 1;
        sealIp(packet, IP);

        tcp.receiveBytes(packet, "too long").expectNothing();
        tcp.hasCounted(Counter.IP_IN_HDR_ERRORS, 1);
    }

    @Test
    @Rfc("RFC 9293 MUST-7")
    void option_floods_do_no_harm() {
        var rng = new Rng(7);
        var tcp = established();
        for (int i = 0; i < 5000; i++) {
            byte[] bare = tcp.packet("< . 1:1(0) ack 1");
            byte[] packet = Arrays.copyOf(bare, IP + 60);
            packet[IP + 12] = (byte) 0xf0;
            packet[3] = IP + 60;
            for (int j = IP + 20; j < packet.length; j++) {
                packet[j] = (byte) (i < 256 ? i : rng.nextInt(i % 2 == 0 ? 12 : 256));
            }
            seal(packet);
            tcp.receiveBytes(packet, "options").discard();
        }
        tcp.hasState(TcpState.ESTABLISHED);
        tcp.after(2000).write(10).discard();
    }

    @Test
    @Rfc("RFC 1122 section 3.2.1.3")
    void packets_from_ourselves_to_ourselves_are_dropped() {
        var tcp = TcpTest.listen();
        byte[] packet = tcp.packet("< 8080 > 8080 S 0:0(0) <mss 1460>");
        System.arraycopy(packet, 16, packet, 12, 4);
        seal(packet);

        tcp.receiveBytes(packet, "land").expectNothing();
        tcp.hasCounted(Counter.IP_IN_ADDR_ERRORS, 1);
        assertThat(tcp.stack().endpoints()).isZero();
    }

    @Test
    @Rfc({"RFC 1122 section 3.2.1.3", "RFC 9293 MUST-57"})
    void sources_nobody_can_have_are_dropped() {
        var tcp = TcpTest.listen();
        int[][] sources = {
            {0, 0, 0, 0}, {127, 0, 0, 1}, {224, 0, 0, 1}, {255, 255, 255, 255}, {240, 0, 0, 1}
        };
        for (int[] source : sources) {
            byte[] packet = tcp.packet("< S 0:0(0) <mss 1460>");
            for (int i = 0; i < 4; i++) {
                packet[12 + i] = (byte) source[i];
            }
            seal(packet);
            tcp.receiveBytes(packet, Arrays.toString(source)).expectNothing();
        }
        tcp.hasCounted(Counter.IP_IN_ADDR_ERRORS, sources.length);
    }

    @Test
    void packets_for_somebody_else_are_dropped() {
        var tcp = TcpTest.listen();
        byte[] packet = tcp.packet("< S 0:0(0) <mss 1460>");
        packet[19] = 77;
        seal(packet);

        tcp.receiveBytes(packet, "not ours").expectNothing();
        tcp.hasCounted(Counter.IP_IN_ADDR_ERRORS, 1);
    }

    // ---- random mutations --------------------------------------------------------------------

    private enum Situation {
        LISTEN,
        SYN_SENT,
        SYN_RECEIVED,
        ESTABLISHED,
        FIN_WAIT_1,
        FIN_WAIT_2,
        CLOSE_WAIT,
        CLOSING,
        LAST_ACK,
        TIME_WAIT;

        TcpTest reach() {
            if (this == LISTEN || this == SYN_RECEIVED) {
                var tcp = TcpTest.listen();
                if (this == SYN_RECEIVED) {
                    tcp.receive("< S 0:0(0) <mss 1000,sackOK,TS val 5 ecr 0,wscale 7>").discard();
                }
                return tcp;
            }
            if (this == SYN_SENT) {
                return TcpTest.connect().discard();
            }
            var tcp = established();
            tcp.write(3000).discard();
            switch (this) {
                case FIN_WAIT_1 -> tcp.shutdownOutput();
                case FIN_WAIT_2 -> tcp.shutdownOutput().discard().receive("< . 1:1(0) ack 3002");
                case CLOSE_WAIT -> tcp.receive("< F. 1:1(0) ack 1");
                case CLOSING -> tcp.shutdownOutput().discard().receive("< F. 1:1(0) ack 1");
                case LAST_ACK -> {
                    tcp.receive("< F. 1:1(0) ack 1").discard();
                    tcp.shutdownOutput();
                }
                case TIME_WAIT -> tcp.shutdownOutput().discard().receive("< F. 1:1(0) ack 3002");
                default -> {
                    // ESTABLISHED
                }
            }
            return tcp.discard();
        }

        boolean isLeft(TcpTest tcp) {
            return switch (this) {
                case LISTEN, SYN_RECEIVED -> tcp.stack().endpoints() > 100;
                case TIME_WAIT -> tcp.stack().tcp().timeWait().count() == 0;
                default -> !tcp.connection().state().name().equals(name());
            };
        }
    }

    private static final String[] TEMPLATES = {
        "< . 1:1(0) ack 1 <TS val 60 ecr 20>",
        "< . 1:1(0) ack 1001 <TS val 60 ecr 20>",
        "< P. 1:101(100) ack 1 <TS val 60 ecr 20>",
        "< . 1001:2001(1000) ack 1 <TS val 60 ecr 20>",
        "< . 1:1(0) ack 1 <TS val 60 ecr 20,sack 1001:2001>",
        "< . 1:1(0) ack 1001 <sack 2001:3001 1:501>",
        "< F. 1:1(0) ack 1 <TS val 60 ecr 20>",
        "< FP. 1:31(30) ack 3001 <TS val 60 ecr 20>",
        "< S 0:0(0) <mss 1000,sackOK,TS val 5 ecr 0,wscale 7>",
        "< S. 0:0(0) ack 1 <mss 1000,sackOK,TS val 5 ecr 0,wscale 7>",
        "< R 1:1(0) win 0",
        "< R. 1:1(0) ack 1 win 0",
        "< PU. 1:101(100) ack 1 urg 50",
        "< . 0:0(0) ack 1"
    };

    @ParameterizedTest
    @EnumSource(Situation.class)
    void random_mutations_do_no_harm(Situation situation) {
        var rng = new Rng(42).split(situation.name());
        TcpTest tcp = situation.reach();
        long[] tally = new long[3];
        for (int i = 0; i < MUTATIONS_PER_STATE; i++) {
            byte[] packet = tcp.packet(TEMPLATES[rng.nextInt(TEMPLATES.length)]);
            packet = mutate(rng, packet);
            boolean sealed = rng.nextBoolean() && packet.length >= IP + 20;
            if (sealed) {
                seal(packet);
            }
            tally[version(packet)]++;
            tcp.receiveBytes(packet, "mutation " + i);
            check(tcp, packet, tcp.take());
            if (rng.chance(1, 20)) {
                tcp.skip(rng.nextInt(300));
            }
            if (situation.isLeft(tcp)) {
                checkCounted(tcp, tally);
                tcp.discard().end();
                Arrays.fill(tally, 0);
                tcp = situation.reach();
            }
        }
        tcp.discard();
    }

    private static int version(byte[] packet) {
        int version = packet.length == 0 ? 0 : packet[0] >>> 4 & 0xf;
        return version == 4 ? 0 : version == 6 ? 1 : 2;
    }

    /** What is damaged is never answered, and a reset never by a reset. */
    private static void check(TcpTest tcp, byte[] packet, List<Sent> sent) {
        if (sent.isEmpty()) {
            return;
        }
        if (!isIntact(packet)) {
            throw tcp.failure("a damaged packet was answered by " + sent);
        }
        int header = (packet[0] & 0xf) * 4;
        boolean reset = packet[9] == IpProtocol.TCP && (packet[header + 13] & TcpHeader.RST) != 0;
        for (Sent s : sent) {
            if (reset && s.segment() != null && s.segment().has(TcpHeader.RST)) {
                throw tcp.failure("a reset was answered by a reset: " + s);
            }
        }
    }

    private static boolean isIntact(byte[] packet) {
        int header = (packet[0] & 0xf) * 4;
        int total = (packet[2] & 0xff) << 8 | packet[3] & 0xff;
        MemorySegment bytes = MemorySegment.ofArray(packet);
        if (Checksum.finish(Checksum.sum(bytes, 0, header)) != 0 || total > packet.length) {
            return false;
        }
        if (packet[9] != IpProtocol.TCP) {
            return true;
        }
        int length = total - header;
        int sum = Checksum.sum(bytes, 12, 8) + IpProtocol.TCP + length;
        return Checksum.finish(sum + Checksum.sum(bytes, header, length)) == 0;
    }

    /** Every packet of the first family is in exactly one of the counters. */
    private static void checkCounted(TcpTest tcp, long[] tally) {
        assertThat(tcp.counted(Counter.IP_IN_RECEIVES)).isGreaterThanOrEqualTo(tally[0]);
        long sorted =
                tcp.counted(Counter.IP_IN_DELIVERS)
                        + tcp.counted(Counter.IP_IN_CSUM_ERRORS)
                        + tcp.counted(Counter.IP_IN_ADDR_ERRORS)
                        + tcp.counted(Counter.IP_REASM_REQDS)
                        - tcp.counted(Counter.IP_REASM_OKS)
                        + tcp.counted(Counter.IP_IN_HDR_ERRORS)
                        - tally[2];
        assertThat(sorted).isEqualTo(tcp.counted(Counter.IP_IN_RECEIVES));
    }

    private static byte[] mutate(Rng rng, byte[] packet) {
        byte[] mutated = packet;
        int kind = rng.nextInt(10);
        if (kind == 0) {
            mutated = Arrays.copyOf(packet, rng.nextInt(packet.length + 1));
        } else if (kind == 1) {
            mutated = Arrays.copyOf(packet, packet.length + rng.nextInt(60));
        }
        // Mostly in the transport header, where it hurts.
        int changes = rng.nextInt(4);
        for (int i = 0; i < changes && mutated.length > 0; i++) {
            int at = rng.nextInt(5) == 0 ? 0 : IP;
            int place = at + rng.nextInt(at == 0 ? IP : 60);
            if (place < mutated.length) {
                mutated[place] =
                        rng.nextBoolean()
                                ? (byte) (mutated[place] ^ 1 << rng.nextInt(8))
                                : (byte) rng.nextInt(256);
            }
        }
        return mutated;
    }

    private static void seal(byte[] packet) {
        int total = packet.length;
        packet[2] = (byte) (total >>> 8);
        packet[3] = (byte) total;
        sealIp(packet, IP);
        MemorySegment bytes = MemorySegment.ofArray(packet);
        int length = total - IP;
        int pseudo = Checksum.fold(Checksum.sum(bytes, 12, 8) + IpProtocol.TCP + length);
        TcpHeader.writeChecksum(bytes, IP, length, pseudo);
    }

    private static void sealIp(byte[] packet, int header) {
        packet[10] = 0;
        packet[11] = 0;
        int sum = Checksum.finish(Checksum.sum(MemorySegment.ofArray(packet), 0, header));
        packet[10] = (byte) (sum >>> 8);
        packet[11] = (byte) sum;
    }
}
