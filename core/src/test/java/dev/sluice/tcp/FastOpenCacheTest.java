package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FastOpenCacheTest {
    private final FastOpenCache cache = new FastOpenCache(77);

    @Test
    void nothing_is_known_of_a_server_at_first() {
        assertThat(cache.find(0, 1, 0, 2)).isEqualTo(FastOpenCache.NONE);
        assertThat(cache.cookieLength(FastOpenCache.NONE)).isZero();
        assertThat(cache.wantsExperimental(FastOpenCache.NONE)).isFalse();
    }

    @Test
    void a_cookie_is_remembered_for_the_pair_of_addresses() {
        int row = cache.findOrAdd(0, 1, 0, 2);
        cache.cookie(row, 8, 0x1122, 0, false);
        cache.mss(row, 1440);
        assertThat(cache.find(0, 1, 0, 2)).isEqualTo(row);
        assertThat(cache.cookieHi(row)).isEqualTo(0x1122);
        assertThat(cache.mss(row)).isEqualTo(1440);
        assertThat(cache.find(0, 2, 0, 2)).isEqualTo(FastOpenCache.NONE);
        assertThat(cache.find(0, 1, 0, 3)).isEqualTo(FastOpenCache.NONE);
    }

    @Test
    void the_other_form_of_the_option_is_tried_once() {
        int row = cache.findOrAdd(0, 1, 0, 2);
        cache.unanswered(row, false);
        assertThat(cache.wantsExperimental(row)).isTrue();
        cache.unanswered(row, true);
        assertThat(cache.wantsExperimental(row)).isFalse();
        cache.unanswered(row, false);
        assertThat(cache.wantsExperimental(row)).isFalse();
    }

    @Test
    void many_servers_do_not_make_it_grow_and_the_last_is_known() {
        for (int i = 0; i < 20_000; i++) {
            int row = cache.findOrAdd(0, 1, 5, i);
            assertThat(row).isLessThan(1024);
            assertThat(cache.cookieLength(row)).isZero();
            cache.cookie(row, 4, i, 0, false);
            assertThat(cache.find(0, 1, 5, i)).isEqualTo(row);
        }
    }

    @Test
    void what_is_cleared_is_forgotten() {
        cache.cookie(cache.findOrAdd(0, 1, 0, 2), 4, 1, 0, false);
        cache.clear();
        assertThat(cache.find(0, 1, 0, 2)).isEqualTo(FastOpenCache.NONE);
    }
}
