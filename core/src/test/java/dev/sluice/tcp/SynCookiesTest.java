package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;

class SynCookiesTest {
    private static final long MINUTE = 60_000_000_000L;
    private static final IpAddress SERVER = IpAddress.ipv4(0xc0a8_0001);
    private static final IpAddress CLIENT = IpAddress.ipv4(0xc000_0201);
    private static final int PORTS = 8080 << 16 | 50_000;
    private static final int IRS = 0x8123_4567;

    private final SynCookies cookies = new SynCookies(11, 22);

    private int sequence(long now, int mss) {
        return cookies.sequence(
                now, SERVER.hi(), SERVER.lo(), CLIENT.hi(), CLIENT.lo(), PORTS, IRS, mss);
    }

    private int mss(long now, int ports, int irs, int cookie) {
        return cookies.mss(
                now, SERVER.hi(), SERVER.lo(), CLIENT.hi(), CLIENT.lo(), ports, irs, cookie);
    }

    @Test
    void the_mss_comes_back_rounded_down() {
        int[][] expected = {
            {100, 536},
            {536, 536},
            {1000, 536},
            {1300, 1300},
            {1452, 1440},
            {1460, 1460},
            {9000, 1460}
        };
        for (int[] e : expected) {
            assertThat(mss(5 * MINUTE, PORTS, IRS, sequence(5 * MINUTE, e[0]))).isEqualTo(e[1]);
        }
    }

    @Test
    void a_cookie_is_good_in_its_minute_and_the_next() {
        int cookie = sequence(5 * MINUTE, 1460);
        assertThat(mss(6 * MINUTE - 1, PORTS, IRS, cookie)).isEqualTo(1460);
        assertThat(mss(7 * MINUTE - 1, PORTS, IRS, cookie)).isEqualTo(1460);
        assertThat(mss(7 * MINUTE, PORTS, IRS, cookie)).isEqualTo(SynCookies.INVALID);
    }

    @Test
    void a_cookie_belongs_to_one_connection_attempt() {
        int cookie = sequence(5 * MINUTE, 1460);
        assertThat(mss(5 * MINUTE, PORTS + 1, IRS, cookie)).isEqualTo(SynCookies.INVALID);
        assertThat(mss(5 * MINUTE, PORTS, IRS + 76, cookie)).isEqualTo(SynCookies.INVALID);
        assertThat(mss(5 * MINUTE, PORTS, IRS, cookie + 76)).isEqualTo(SynCookies.INVALID);
    }

    @Test
    void a_timestamp_carries_the_options_and_does_not_run_ahead_of_the_clock() {
        for (int clock = 1000; clock < 1200; clock++) {
            int stamp = SynCookies.timestamp(clock, 7, true, false);
            assertThat(clock - stamp).isBetween(0, 63);
            assertThat(SynCookies.windowScale(stamp)).isEqualTo(7);
            assertThat(SynCookies.sack(stamp)).isTrue();
            assertThat(SynCookies.ecn(stamp)).isFalse();
        }
    }

    @Test
    void no_window_scaling_is_not_a_scale_of_zero() {
        int without = SynCookies.timestamp(99_999, -1, false, true);
        int zero = SynCookies.timestamp(99_999, 0, false, true);
        assertThat(SynCookies.windowScale(without)).isEqualTo(-1);
        assertThat(SynCookies.windowScale(zero)).isZero();
        assertThat(SynCookies.ecn(without)).isTrue();
    }
}
