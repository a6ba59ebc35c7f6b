package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.wire.EcnCodepoint;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptionWriter;
import dev.sluice.wire.TcpOptions;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** RFC 9768, the part that counts. */
class AccurateEcnTest {
    private static final int MSS = 1000;
    private static final int NONE = -1;

    private final AccurateEcn ecn = new AccurateEcn();

    /** TCP flags with that number in the ACE field. */
    private static int ace(int value) {
        return (value & 7) << 6 | TcpHeader.ACK;
    }

    /** An option with so many counters in that order; none at all for {@link #NONE}. */
    private static TcpOptions option(int counters, boolean e0First, int e0, int ce, int e1) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(80);
            TcpOptionWriter writer = new TcpOptionWriter();
            if (counters >= 0) {
                writer.accEcn(counters, e0First, e0, ce, e1);
            }
            int length = TcpHeader.LENGTH + writer.write(memory, TcpHeader.LENGTH);
            TcpHeader.write(memory, 0, 1, 2, 3, 4, length, TcpHeader.ACK, 100, 0);
            TcpHeader header = new TcpHeader();
            assertThat(header.wrap(memory, 0, length)).isNull();
            return header.options();
        }
    }

    private static TcpOptions none() {
        return option(NONE, false, 0, 0, 0);
    }

    private static TcpOptions counters(int e0, int ce, int e1) {
        return option(3, false, e0 + 1, ce, e1 + 1);
    }

    private int marked(int aceField, int known, int packets, TcpOptions options) {
        return ecn.marked(ace(aceField), options, known, packets, packets * MSS, MSS, 1, true);
    }

    @Nested
    class Handshake {
        @Test
        void the_field_of_a_syn_is_told_back() {
            int[] expected = {2, 3, 4, 6};
            for (int codepoint = 0; codepoint < 4; codepoint++) {
                ecn.synReceived(codepoint);
                assertThat(ecn.reflectedFlags() | TcpHeader.ACK)
                        .isEqualTo(ace(expected[codepoint]));
            }
        }

        @Test
        void a_marked_syn_ack_counts() {
            ecn.synAckArrived(ace(2), EcnCodepoint.CE, none(), true);
            assertThat(ecn.receivedCe()).isEqualTo(1);
            assertThat(ecn.flags() | TcpHeader.ACK).isEqualTo(ace(6));
            assertThat(ecn.codepoint()).isEqualTo(EcnCodepoint.ECT_0);
        }

        @Test
        void a_syn_that_became_ecn_capable_on_its_way_means_that_the_field_cannot_be_believed() {
            ecn.synSent(EcnCodepoint.NOT_ECT);
            ecn.synAckArrived(ace(4), EcnCodepoint.CE, none(), true);
            assertThat(ecn.failMode()).isEqualTo(AccurateEcn.ACE_FAIL_RECV);
            assertThat(ecn.codepoint()).isEqualTo(EcnCodepoint.NOT_ECT);
            assertThat(ecn.receivedCe()).isZero();
        }

        @Test
        void without_the_fallback_nothing_is_checked() {
            ecn.synSent(EcnCodepoint.NOT_ECT);
            ecn.synAckArrived(ace(4), EcnCodepoint.CE, none(), false);
            assertThat(ecn.failMode()).isZero();
            assertThat(ecn.receivedCe()).isEqualTo(1);
        }

        @Test
        void a_third_ack_without_field_ends_it_for_both_directions() {
            assertThat(ecn.thirdAckArrived(ace(0), true, none(), true)).isFalse();
            assertThat(ecn.failMode())
                    .isEqualTo(AccurateEcn.ACE_FAIL_RECV | AccurateEcn.OPTION_FAIL_RECV);
        }

        @Test
        void a_third_ack_tells_of_a_marked_syn_ack() {
            ecn.synSent(EcnCodepoint.ECT_0);
            assertThat(ecn.thirdAckArrived(ace(6), true, none(), true)).isTrue();
            assertThat(ecn.thirdAckArrived(ace(6), false, none(), true)).as("data").isFalse();
            assertThat(ecn.failMode()).isZero();
        }
    }

    @Nested
    class Receiver {
        @Test
        void marked_packets_are_counted_with_payload_or_without() {
            assertThat(ecn.flags() | TcpHeader.ACK).isEqualTo(ace(5));
            ecn.arrived(EcnCodepoint.CE, 2, 2000);
            ecn.arrived(EcnCodepoint.CE, 1, 0);
            assertThat(ecn.receivedCe()).isEqualTo(3);
            assertThat(ecn.flags() | TcpHeader.ACK).isEqualTo(ace(0));
            assertThat(ecn.receivedBytes(EcnCodepoint.CE)).isEqualTo(2000);
        }

        @Test
        void a_change_of_the_field_hurries_the_acknowledgment() {
            assertThat(ecn.arrived(EcnCodepoint.ECT_0, 1, 100)).isTrue();
            assertThat(ecn.arrived(EcnCodepoint.ECT_0, 1, 100)).isFalse();
            assertThat(ecn.arrived(EcnCodepoint.CE, 1, 100)).isTrue();
            assertThat(ecn.arrived(EcnCodepoint.CE, 1, 100)).isFalse();
            assertThat(ecn.arrived(EcnCodepoint.NOT_ECT, 1, 100)).isTrue();
        }

        @Test
        void six_unreported_marks_are_as_many_as_the_field_can_take() {
            for (int i = 0; i < 5; i++) {
                ecn.arrived(EcnCodepoint.CE, 1, 100);
            }
            assertThat(ecn.isUrgent()).isFalse();
            ecn.arrived(EcnCodepoint.CE, 1, 100);
            assertThat(ecn.isUrgent()).isTrue();
            ecn.sent(0, false, false);
            assertThat(ecn.isUrgent()).isFalse();
        }
    }

    @Nested
    class Option {
        private boolean wanted(int mode) {
            return ecn.wantsOption(0, mode, 0, 1);
        }

        private void peerSpeaksIt() {
            ecn.synAckArrived(ace(2), EcnCodepoint.NOT_ECT, counters(0, 0, 0), true);
        }

        @Test
        void it_is_sent_to_whoever_sends_it() {
            assertThat(wanted(3)).isFalse();
            peerSpeaksIt();
            assertThat(wanted(0)).isFalse();
            assertThat(wanted(2)).isTrue();
        }

        @Test
        void when_needed_means_two_after_a_change_and_a_beacon() {
            peerSpeaksIt();
            ecn.sent(0, true, false);
            ecn.sent(0, true, false);
            assertThat(wanted(1)).isFalse();
            ecn.arrived(EcnCodepoint.CE, 1, 100);
            assertThat(wanted(1)).isTrue();
            ecn.sent(0, true, false);
            assertThat(wanted(1)).isTrue();
            ecn.sent(0, true, false);
            assertThat(wanted(1)).isFalse();
            assertThat(ecn.wantsOption(299, 1, 3, 900)).isFalse();
            assertThat(ecn.wantsOption(300, 1, 3, 900)).isTrue();
        }

        @Test
        void four_megabytes_are_reported_in_any_case() {
            peerSpeaksIt();
            ecn.arrived(EcnCodepoint.ECT_0, 1, 1);
            ecn.sent(0, true, false);
            ecn.sent(0, true, false);
            ecn.arrived(EcnCodepoint.ECT_0, 1, 4_000_000);
            assertThat(wanted(1)).isFalse();
            ecn.arrived(EcnCodepoint.ECT_0, 1, 200_000);
            assertThat(wanted(1)).isTrue();
        }

        @Test
        void it_shrinks_to_the_counters_that_moved_and_drops_sack_blocks_beyond_two() {
            assertThat(ecn.fit(40, 0)).isEqualTo(3);
            assertThat(ecn.fit(8, 0)).isEqualTo(2);
            assertThat(ecn.fit(4, 1)).as("the padding of SACK helps").isEqualTo(1);
            assertThat(ecn.fit(0, 1)).isZero();
            ecn.arrived(EcnCodepoint.CE, 1, 100);
            assertThat(ecn.leastFields()).isEqualTo(2);
            assertThat(ecn.fit(4, 0)).isEqualTo(-1);
            assertThat(ecn.fit(0, 3)).isEqualTo(2 | 1 << 4);
            assertThat(ecn.fit(0, 2)).isEqualTo(-1);
        }

        @Test
        void zeros_where_ones_were_sent_show_a_meddler() {
            ecn.synAckArrived(ace(2), 0, option(3, true, 0, 0, 0), true);
            assertThat(ecn.failMode()).isEqualTo(AccurateEcn.OPTION_FAIL_RECV);
            assertThat(ecn.optionSeen()).isEqualTo(3);
        }

        @Test
        void acknowledgments_that_get_lost_with_it_go_without() {
            peerSpeaksIt();
            ecn.sent(0, true, true);
            ecn.duplicateArrived(true);
            assertThat(ecn.failMode()).isEqualTo(AccurateEcn.OPTION_FAIL_SEND);
            assertThat(wanted(2)).isFalse();
            assertThat(wanted(3)).isTrue();
        }
    }

    @Nested
    class Sender {
        @Test
        void the_field_counts_modulo_eight() {
            assertThat(marked(5, 0, 2, none())).isZero();
            assertThat(marked(6, 0, 2, none())).isEqualTo(1);
            assertThat(marked(4, 0, 7, none())).isEqualTo(7);
            assertThat(marked(6, 1, 2, none())).isZero();
        }

        @Test
        void a_large_ack_is_taken_at_its_worst() {
            for (int i = 0; i < 20; i++) {
                marked(5, 0, 1, none());
            }
            // One more than known, or nine, of ten packets.
            assertThat(marked(6, 0, 10, none())).isEqualTo(9);
        }

        @Test
        void unless_all_acks_are_large() {
            for (int i = 0; i < 200; i++) {
                marked(5, 0, 20, none());
            }
            assertThat(marked(6, 0, 10, none())).isEqualTo(1);
        }

        @Test
        void byte_counters_decide() {
            marked(5, 0, 1, counters(1000, 0, 0));
            assertThat(marked(6, 0, 10, counters(10_000, 1000, 0))).isEqualTo(1);
            marked(6, 1, 1, counters(11_000, 1000, 0));
            assertThat(marked(7, 1, 10, counters(12_000, 10_000, 0))).isEqualTo(9);
        }

        @Test
        void both_orders_of_the_option_say_the_same() {
            marked(5, 0, 1, option(3, true, 1001, 0, 1));
            assertThat(ecn.deliveredBytes(EcnCodepoint.ECT_0)).isEqualTo(1000);
            marked(5, 0, 1, option(3, false, 2001, 7, 11));
            assertThat(ecn.deliveredBytes(EcnCodepoint.ECT_0)).isEqualTo(2000);
            assertThat(ecn.deliveredBytes(EcnCodepoint.CE)).isEqualTo(7);
            assertThat(ecn.deliveredBytes(EcnCodepoint.ECT_1)).isEqualTo(10);
            marked(5, 0, 1, option(1, true, 3001, 0, 0));
            assertThat(ecn.deliveredBytes(EcnCodepoint.ECT_0)).isEqualTo(3000);
        }

        @Test
        void byte_counters_wrap_at_24_bits() {
            marked(5, 0, 1, counters((1 << 24) - 10, 0, 0));
            assertThat(ecn.deliveredBytes(EcnCodepoint.ECT_0)).as("a step back").isEqualTo(-10);
            marked(5, 0, 1, counters(90, 0, 0));
            assertThat(ecn.deliveredBytes(EcnCodepoint.ECT_0)).isEqualTo(90);
        }

        @Test
        void between_options_the_counter_that_grew_last_is_carried_on() {
            marked(5, 0, 1, counters(1000, 0, 0));
            marked(5, 0, 2, none());
            assertThat(ecn.deliveredBytes(EcnCodepoint.ECT_0)).isEqualTo(3000);
        }

        @Test
        void a_first_option_that_comes_too_late_is_not_believed() {
            ecn.marked(ace(5), none(), 0, 1, MSS, MSS, 1 << 23, true);
            assertThat(ecn.failMode()).isEqualTo(AccurateEcn.OPTION_FAIL_RECV);
        }
    }
}
