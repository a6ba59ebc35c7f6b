package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class StackConfigTest {
    @Test
    void the_defaults_are_those_of_linux() {
        StackConfig config = StackConfig.defaults();
        assertThat(config.sack).isTrue();
        assertThat(config.congestionControl).isEqualTo("cubic");
        assertThat(config.rmemMin).isEqualTo(4096);
        assertThat(config.rmemInitial).isEqualTo(131_072);
        assertThat(config.rmemMax).isEqualTo(33_554_432);
        assertThat(config.wmemInitial).isEqualTo(16_384);
        assertThat(config.coreRmemMax).isEqualTo(4_194_304);
        assertThat(config.notsentLowatBytes).isEqualTo(0xFFFF_FFFFL);
        assertThat(config.finTimeoutNanos).isEqualTo(60_000_000_000L);
        assertThat(config.rtoMinNanos).isEqualTo(200_000_000L);
        assertThat(config.rtoMaxNanos).isEqualTo(120_000_000_000L);
        assertThat(config.compSackDelayNanos).isEqualTo(1_000_000L);
        assertThat(config.localPortFirst).isEqualTo(32_768);
        assertThat(config.localPortLast).isEqualTo(60_999);
        assertThat(config.initialCwnd).isEqualTo(10);
        // 0.75 : 1 : 1.5
        assertThat(4 * config.memMinPages).isEqualTo(3 * config.memPressurePages);
        assertThat(2 * config.memMaxPages).isEqualTo(3 * config.memPressurePages);
    }

    @ParameterizedTest
    @CsvSource({
        "net.ipv4.tcp_sack, TCP_SACK",
        "tcp_sack, TCP_SACK",
        "/proc/sys/net/ipv4/tcp_sack, TCP_SACK",
        "net/ipv4/tcp_sack, TCP_SACK",
        "somaxconn, SOMAXCONN",
        "net.core.rmem_max, RMEM_MAX",
        "tcp_rmem, TCP_RMEM",
        "conf.all.hop_limit, IP6_HOP_LIMIT",
        "route.mtu_expires, ROUTE_MTU_EXPIRES",
        "tcp_initial_cwnd, STACK_TCP_INITIAL_CWND",
    })
    void a_key_may_be_called_by_its_full_name_its_short_name_or_its_path(String name, Sysctl key) {
        assertThat(Sysctls.find(name)).isSameAs(key);
    }

    @ParameterizedTest
    @CsvSource({
        "tcp_sak, net.ipv4.tcp_sack",
        "net.ipv4.tcp_congestion_contol, net.ipv4.tcp_congestion_control",
        "net.ipv4.somaxcon, net.core.somaxconn",
        "tcp_retires2, net.ipv4.tcp_retries2",
        "TCP_RMEM, net.ipv4.tcp_rmem",
        "rcvbuf_low_rtt, net.ipv4.tcp_rcvbuf_low_rtt",
    })
    void a_misspelt_key_is_an_error_that_suggests_the_nearest(String wrong, String right) {
        assertThatExceptionOfType(SysctlException.class)
                .isThrownBy(() -> StackConfig.builder().set(wrong, "1"))
                .withMessage("there is no key \"%s\"; the nearest is %s", wrong, right);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "tcp_sack; 2; 0 or 1",
                "tcp_sack; yes; 0 or 1",
                "tcp_sack; ''; 0 or 1",
                "tcp_retries2; 256; 0 to 255",
                "tcp_retries2; -1; 0 to 255",
                "tcp_retries2; 99999999999999999999; 0 to 255",
                "tcp_rmem; 4096 87380; 3 numbers, each 1 to 2147483647",
                "tcp_rmem; 0 87380 100000; 3 numbers, each 1 to 2147483647",
                "ip_local_port_range; 2000 1000; 2 numbers, each 1 to 65535, ascending",
                "tcp_congestion_control; vegas; cubic, reno, dctcp, bbr",
                "tcp_fastopen_key; 1234; xxxxxxxx-xxxxxxxx-xxxxxxxx-xxxxxxxx, or two of them with a"
                        + " comma",
            })
    void a_wrong_value_is_an_error_that_says_what_is_allowed(
            String name, String value, String allowed) {
        assertThatExceptionOfType(SysctlException.class)
                .isThrownBy(() -> StackConfig.builder().set(name, value))
                .withMessage("net.ipv4.%s cannot be \"%s\"; allowed: %s", name, value, allowed);
    }

    @ParameterizedTest
    @EnumSource
    void every_default_is_allowed_and_prints_as_it_was_written(Sysctl key) {
        assertThat(StackConfig.defaults().value(key)).isEqualTo(key.defaultText());
        assertThat(key.meaning()).endsWith(".").hasSizeLessThan(190);
        assertThat(Sysctls.find(key.key())).isSameAs(key);
    }

    @Test
    void values_are_compiled_into_fields_with_units() {
        StackConfig config =
                StackConfig.builder()
                        .set("net.ipv4.tcp_sack", "0")
                        .set("tcp_fin_timeout", " 5 ")
                        .set("tcp_rmem", "4096\t540000  15728640")
                        .set("tcp_fastopen", "0x70403")
                        .set(Sysctl.TCP_TW_REUSE_DELAY, 250)
                        .set("tcp_congestion_control", "reno")
                        .build();
        assertThat(config.sack).isFalse();
        assertThat(config.finTimeoutNanos).isEqualTo(5_000_000_000L);
        assertThat(config.rmemInitial).isEqualTo(540_000);
        assertThat(config.rmemMax).isEqualTo(15_728_640);
        assertThat(config.fastOpenBits).isEqualTo(0x70403);
        assertThat(config.timeWaitReuseDelayNanos).isEqualTo(250_000_000L);
        assertThat(config.congestionControl).isEqualTo("reno");
        assertThat(config.value("tcp_rmem")).isEqualTo("4096 540000 15728640");
    }

    @Test
    void fast_open_takes_one_key_or_two() {
        StackConfig none = StackConfig.defaults();
        assertThat(none.fastOpenKeyHigh | none.fastOpenKeyLow).isZero();
        assertThat(none.fastOpenPreviousKey).isFalse();
        String keys = "a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4,00000000-00000001-00000002-ffffffff";
        StackConfig two = StackConfig.builder().set("tcp_fastopen_key", keys).build();
        assertThat(two.fastOpenKeyHigh).isEqualTo(0xa1a1a1a1_b2b2b2b2L);
        assertThat(two.fastOpenKeyLow).isEqualTo(0xc3c3c3c3_d4d4d4d4L);
        assertThat(two.fastOpenPreviousKey).isTrue();
        assertThat(two.fastOpenPreviousKeyHigh).isEqualTo(1);
        assertThat(two.fastOpenPreviousKeyLow).isEqualTo(0x2_ffff_ffffL);
        assertThat(two.value("tcp_fastopen_key")).isEqualTo(keys);
    }

    @Test
    void a_file_is_loaded_line_by_line() {
        StackConfig config =
                StackConfig.builder()
                        .load("# off\n\nnet.ipv4.tcp_sack = 0\n;x\ntcp_timestamps=2\ntcp_sack=1\n")
                        .build();
        assertThat(config.sack).isTrue();
        assertThat(config.timestampsMode).isEqualTo(2);
        assertThatExceptionOfType(SysctlException.class)
                .isThrownBy(() -> StackConfig.builder().load("tcp_sack=1\ntcp_sack"))
                .withMessage("line 2: \"tcp_sack\" is not key = value");
        assertThatExceptionOfType(SysctlException.class)
                .isThrownBy(() -> StackConfig.builder().load("tcp_sack=7"))
                .withMessageStartingWith("line 1: net.ipv4.tcp_sack cannot be \"7\"");
    }

    @Test
    void a_configuration_never_changes() {
        StackConfig.Builder builder = StackConfig.builder().set("tcp_sack", "0");
        StackConfig first = builder.build();
        StackConfig second = builder.set("tcp_sack", "1").build();
        StackConfig third = first.toBuilder().set("tcp_dsack", "0").build();
        assertThat(first.value("tcp_sack")).isEqualTo("0");
        assertThat(first.value("tcp_dsack")).isEqualTo("1");
        assertThat(second.value("tcp_sack")).isEqualTo("1");
        assertThat(third.value("tcp_sack")).isEqualTo("0");
        assertThat(third.dsack).isFalse();
    }
}
