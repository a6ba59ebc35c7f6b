package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TruesizeTest {
    @ParameterizedTest
    @CsvSource({
        "half-page, 1500, 1, 2624",
        "half-page, 40, 1, 2624",
        "half-page, 2049, 1, 4672",
        "half-page, 15000, 10, 21056",
        "page, 1500, 1, 4672",
        "page, 15000, 10, 41536",
        "loopback, 1, 1, 640",
        "loopback, 65536, 1, 66112",
        "slab, 40, 1, 352",
    })
    void a_received_packet_is_charged_by_its_model(
            String label, int length, int frames, int charge) {
        assertThat(Truesize.of(label).received(length, frames, 256)).isEqualTo(charge);
    }

    @Test
    void the_initial_send_buffer_of_linux_follows_from_ten_segments_of_ethernet() {
        // Two buffers of ten segments at MSS 1460: the 87040 bytes that Linux shows for a new
        // connection.
        assertThat(2 * 10 * Truesize.sendBufferPerSegment(1_460)).isEqualTo(87_040);
    }

    @Test
    void a_sent_segment_is_charged_payload_headers_and_metadata() {
        assertThat(Truesize.sent(0)).isEqualTo(896);
        assertThat(Truesize.sent(14_600)).isEqualTo(15_496);
    }

    @Test
    void every_model_is_found_by_its_label_and_others_are_refused() {
        for (Truesize model : Truesize.values()) {
            assertThat(Truesize.of(model.label())).isSameAs(model);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Truesize.of("pages"));
    }
}
