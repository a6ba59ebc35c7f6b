package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.wire.TcpOptionWriter.SynOrder;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;

class TcpOptionWriterTest {
    private final MemorySegment segment = Bytes.segment();
    private final TcpOptionWriter writer = new TcpOptionWriter();

    /** What the writer lays out, in segment notation. */
    private String written(SynOrder order) {
        segment.fill((byte) 0xa5);
        int length = writer.length(order);
        assertThat(writer.write(segment, 7, order)).isEqualTo(length);
        assertThat(length % 4).isZero();
        assertThat(length).isLessThanOrEqualTo(TcpHeader.MAX_OPTIONS);
        assertThat(BigEndian.u8(segment, 7 + length)).as("byte behind").isEqualTo(0xa5);
        List<SegmentOption> options = SegmentNotation.decodeOptions(segment, 7, length, 0);
        StringBuilder out = new StringBuilder();
        for (SegmentOption option : options) {
            option.print(out.isEmpty() ? out : out.append(','));
        }
        return out.toString();
    }

    private String written() {
        return written(SynOrder.LINUX);
    }

    @Test
    void a_syn_as_linux_writes_it() {
        writer.mss(1460);
        writer.sackPermitted();
        writer.timestamps(1, 0);
        writer.windowScale(7);
        assertThat(written()).isEqualTo("mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7");
        writer.fastOpen(0, 0, 0, false);
        assertThat(written()).isEqualTo("mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7,FO,nop,nop");
        writer.fastOpen(8, 0x0102030405060708L, 0, false);
        assertThat(written())
                .isEqualTo(
                        "mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7,FO 0102030405060708,nop,nop");
        writer.fastOpen(10, 0x0102030405060708L, 0x090aL << 48, true);
        assertThat(written()).endsWith(",FOEXP 0102030405060708090a,nop,nop");
    }

    @Test
    void a_syn_of_linux_without_timestamps_or_without_sack() {
        writer.mss(1460);
        assertThat(written()).isEqualTo("mss 1460");
        writer.sackPermitted();
        writer.windowScale(8);
        assertThat(written()).isEqualTo("mss 1460,nop,nop,sackOK,nop,wscale 8");
        writer.clear();
        writer.mss(1460);
        writer.timestamps(5, 6);
        assertThat(written()).isEqualTo("mss 1460,nop,nop,TS val 5 ecr 6");
    }

    @Test
    void a_syn_as_freebsd_writes_it() {
        writer.mss(1460);
        writer.windowScale(6);
        writer.sackPermitted();
        assertThat(written(SynOrder.FREEBSD)).isEqualTo("mss 1460,nop,wscale 6,sackOK,eol,eol");
        writer.timestamps(1, 0);
        assertThat(written(SynOrder.FREEBSD))
                .isEqualTo("mss 1460,nop,wscale 6,sackOK,TS val 1 ecr 0");
        writer.clear();
        writer.mss(1460);
        writer.timestamps(1, 0);
        assertThat(written(SynOrder.FREEBSD)).isEqualTo("mss 1460,nop,nop,TS val 1 ecr 0");
    }

    @Test
    void an_established_segment_looks_alike_in_both_orders() {
        for (SynOrder order : SynOrder.values()) {
            writer.clear();
            assertThat(written(order)).isEmpty();
            writer.timestamps(-1, 2);
            assertThat(written(order)).isEqualTo("nop,nop,TS val 4294967295 ecr 2");
            writer.sackBlock(1, 2);
            assertThat(written(order))
                    .isEqualTo("nop,nop,TS val 4294967295 ecr 2,nop,nop,sack 1:2");
        }
    }

    @Test
    void as_many_sack_blocks_go_out_as_fit() {
        for (int i = 0; i < 6; i++) {
            writer.sackBlock(10 * i, 10 * i + 5);
        }
        assertThat(written()).isEqualTo("nop,nop,sack 0:5 10:15 20:25 30:35");
        writer.timestamps(1, 2);
        assertThat(written()).isEqualTo("nop,nop,TS val 1 ecr 2,nop,nop,sack 0:5 10:15 20:25");
        writer.limitSackTo(31);
        assertThat(written()).isEqualTo("nop,nop,TS val 1 ecr 2,nop,nop,sack 0:5");
        writer.limitSackTo(20);
        assertThat(written()).isEqualTo("nop,nop,TS val 1 ecr 2");
        writer.md5();
        writer.sackBlock(1, 2);
        assertThat(written())
                .isEqualTo("nop,nop,md5 " + "00".repeat(16) + ",nop,nop,TS val 1 ecr 2");
    }

    @Test
    void accurate_ecn_fills_the_padding_of_its_neighbours() {
        writer.timestamps(1, 2);
        writer.accEcn(3, false, 10, 20, 30);
        assertThat(written()).isEqualTo("nop,nop,TS val 1 ecr 2,ECN e1b 30 ceb 20 e0b 10,nop");
        writer.accEcn(2, true, 10, 20, 30);
        assertThat(written()).isEqualTo("nop,nop,TS val 1 ecr 2,ECN e0b 10 ceb 20");
        writer.accEcn(1, true, 10, 20, 30);
        assertThat(written()).isEqualTo("nop,nop,TS val 1 ecr 2,ECN e0b 10,nop,nop,nop");
        writer.sackBlock(1, 2);
        assertThat(written()).isEqualTo("nop,nop,TS val 1 ecr 2,ECN e0b 10,nop,sack 1:2");
        writer.accEcn(0, false, 0, 0, 0);
        assertThat(written()).isEqualTo("nop,nop,TS val 1 ecr 2,kind 174,sack 1:2");

        writer.clear();
        writer.mss(1460);
        writer.sackPermitted();
        writer.timestamps(1, 0);
        writer.windowScale(7);
        writer.accEcn(1, false, 1, 1, 1);
        assertThat(written()).isEqualTo("mss 1460,sackOK,TS val 1 ecr 0,ECN e1b 1,wscale 7");
        writer.accEcn(0, false, 1, 1, 1);
        assertThat(written())
                .isEqualTo("mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7,kind 174,nop,nop");
    }

    @Test
    void whatever_is_written_in_whatever_combination_is_read_back() {
        SplittableRandom random = new SplittableRandom(5);
        TcpHeader header = new TcpHeader();
        int written = 0;
        for (int i = 0; i < 50_000; i++) {
            writer.clear();
            int mss = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(65_535);
            int scale = random.nextInt(-1, 15);
            boolean sackOk = random.nextBoolean();
            boolean timestamps = random.nextBoolean();
            int counters = random.nextInt(-1, 4);
            int cookie = random.nextInt(3) > 0 ? -1 : random.nextInt(2, 5) * 2;
            int blocks = random.nextInt(5);
            writer.mss(mss);
            if (scale >= 0) {
                writer.windowScale(scale);
            }
            if (sackOk) {
                writer.sackPermitted();
            }
            if (timestamps) {
                writer.timestamps(i, -i);
            }
            if (counters >= 0) {
                writer.accEcn(counters, random.nextBoolean(), 1, i, 0x010203);
            }
            if (cookie >= 0) {
                writer.fastOpen(cookie, random.nextLong(), 0, random.nextBoolean());
            }
            for (int b = 0; b < blocks; b++) {
                writer.sackBlock(b, i);
            }
            SynOrder order = random.nextBoolean() ? SynOrder.LINUX : SynOrder.FREEBSD;
            if (writer.length(order) > TcpHeader.MAX_OPTIONS) {
                continue; // more than the caller may ask for
            }
            written++;
            segment.fill((byte) 0xa5);
            int length = writer.write(segment, 20, order);
            assertThat(length).isEqualTo(writer.length(order));
            TcpHeader.write(segment, 0, 1, 2, 3, 4, 20 + length, TcpHeader.SYN, 5, 0);
            assertThat(header.wrap(segment, 0, 20 + length)).isNull();
            TcpOptions options = header.options();
            assertThat(options.malformed()).isFalse();
            assertThat(options.mss()).isEqualTo(mss);
            assertThat(options.windowScale()).isEqualTo(scale);
            assertThat(options.sackPermitted()).isEqualTo(sackOk);
            assertThat(options.hasTimestamps()).isEqualTo(timestamps);
            assertThat(options.accEcnCounters()).isEqualTo(counters);
            assertThat(options.fastOpenLength()).isEqualTo(cookie);
            boolean freeBsdSyn =
                    order == SynOrder.FREEBSD
                            && counters < 0
                            && (mss > 0 || scale >= 0 || sackOk || cookie >= 0);
            assertThat(options.sackCount()).isEqualTo(freeBsdSyn ? 0 : writer.sackBlocks());
        }
        assertThat(written).isGreaterThan(20_000);
    }
}
