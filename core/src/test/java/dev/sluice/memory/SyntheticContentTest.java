package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

class SyntheticContentTest {
    @Test
    void the_content_is_fixed_for_ever() {
        byte[] start = new byte[12];
        SyntheticContent.fill(start, 0, 1, 12);
        assertThat(start).asHexString().isEqualTo("B4CA9DEE89FB17C26DFFDD4A");
    }

    @Test
    void all_ways_to_fill_agree() {
        byte[] array = new byte[40];
        SyntheticContent.fill(array, 3, 1_000_003, 30);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(40);
            SyntheticContent.fill(segment, 3, 1_000_003, 30);
            assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).containsExactly(array);
        }
        ByteBuffer buffer = ByteBuffer.allocate(40);
        SyntheticContent.fill(buffer, 3, 1_000_003, 30);
        assertThat(buffer.array()).containsExactly(array);
        for (int i = 0; i < 30; i++) {
            assertThat(array[3 + i]).isEqualTo(SyntheticContent.byteAt(1_000_003 + i));
        }
    }

    @Test
    void a_short_range_shows_where_it_belongs() {
        Set<String> seen = new HashSet<>();
        byte[] range = new byte[8];
        for (int offset = 0; offset < 100_000; offset++) {
            SyntheticContent.fill(range, 0, offset, 8);
            assertThat(seen.add(new String(range, StandardCharsets.ISO_8859_1))).isTrue();
        }
    }
}
