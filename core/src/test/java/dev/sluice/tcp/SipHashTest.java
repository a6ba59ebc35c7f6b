package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The vectors that the authors of SipHash published: key 00 01 .. 0f, message 00 01 02 .. */
class SipHashTest {
    private static final long KEY0 = 0x0706050403020100L;
    private static final long KEY1 = 0x0f0e0d0c0b0a0908L;

    private final SipHash hash = new SipHash();

    @Test
    void the_empty_message_has_the_published_hash() {
        assertThat(hash.begin(KEY0, KEY1).finish(0)).isEqualTo(0x726fdb47dd0e0e31L);
    }

    @Test
    void eight_bytes_have_the_published_hash() {
        long message = 0x0706050403020100L;
        assertThat(hash.begin(KEY0, KEY1).word(message).finish(8)).isEqualTo(0x93f5f5799a932462L);
    }

    @Test
    void a_hash_leaves_nothing_behind_for_the_next() {
        long first = hash.begin(KEY0, KEY1).word(1).word(2).finish(16);
        hash.begin(KEY1, KEY0).word(3).finish(8);
        assertThat(hash.begin(KEY0, KEY1).word(1).word(2).finish(16)).isEqualTo(first);
    }
}
