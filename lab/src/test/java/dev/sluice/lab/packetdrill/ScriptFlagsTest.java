package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.Map;

class ScriptFlagsTest {
    private static ScriptFlags flags(ScriptFlags before, String header) {
        String text = header + "\n0 close(3) = 0";
        return before.with(ScriptParser.parse("t.pkt", text, Map.of()).options());
    }

    @Test
    void without_flags_the_defaults_hold() {
        assertThat(flags(ScriptFlags.DEFAULT, "")).isEqualTo(ScriptFlags.DEFAULT);
    }

    @Test
    void every_flag_is_read() {
        ScriptFlags flags =
                flags(
                        ScriptFlags.DEFAULT,
                        """
                        --tolerance_usecs=7000 --tolerance_percent=1.5
                        --ip_version=ipv6 --local_ip=fd::1 --remote_ip=fd::2
                        --bind_port=80 --connect_port=81 --mtu=9000 --mss=1000
                        --tcp_ts_tick_usecs=1000 --tcp_ts_ecr_scaled --strict_segments
                        --non_fatal=packet,syscall --send_omit_free
                        """);

        assertThat(flags.tolerance()).isEqualTo(new Tolerance(7_000_000L, 15));
        assertThat(flags.ipVersion()).isEqualTo(ScriptFlags.IpVersion.IPV6);
        assertThat(flags.localAddress()).hasValue("fd::1");
        assertThat(flags.remoteAddress()).hasValue("fd::2");
        assertThat(flags.bindPort()).isEqualTo(80);
        assertThat(flags.connectPort()).isEqualTo(81);
        assertThat(flags.mtu()).hasValue(9000);
        assertThat(flags.injectedMss()).isEqualTo(1000);
        assertThat(flags.timestampTickMicros()).isEqualTo(1000);
        assertThat(flags.scaledEchoReply()).isTrue();
        assertThat(flags.strictSegments()).isTrue();
        assertThat(flags.nonFatal()).containsExactlyInAnyOrder("packet", "syscall");
    }

    @Test
    void the_script_has_the_last_word_over_the_command_line() {
        ScriptFlags commandLine =
                flags(ScriptFlags.DEFAULT, "--tolerance_usecs=1 --local_ip=192.0.2.9 --mtu=1400");

        ScriptFlags merged = flags(commandLine, "--local_ip=192.0.2.7 --mss=500");

        assertThat(merged.localAddress()).hasValue("192.0.2.7");
        assertThat(merged.tolerance().nanos()).isEqualTo(1_000L);
        assertThat(merged.mtu()).hasValue(1400);
        assertThat(merged.injectedMss()).isEqualTo(500);
        assertThat(merged.withTolerance(Tolerance.STRICT).tolerance()).isEqualTo(Tolerance.STRICT);
    }

    @Test
    void what_is_not_implemented_is_unsupported_with_its_place() {
        assertThatThrownBy(() -> flags(ScriptFlags.DEFAULT, "\n --udp_encapsulation=tcp"))
                .isInstanceOfSatisfying(
                        UnsupportedScriptException.class,
                        e -> assertThat(e.position()).isEqualTo(new Position("t.pkt", 2, 2)));
        assertThatThrownBy(() -> flags(ScriptFlags.DEFAULT, "--mtu=big"))
                .isInstanceOf(ScriptSyntaxException.class)
                .hasMessage("t.pkt:1:1: expected a number for --mtu, found 'big'");
        assertThatThrownBy(() -> flags(ScriptFlags.DEFAULT, "--ip_version=5"))
                .hasMessageContaining("expected ipv4, ipv6 or ipv4-mapped-ipv6");
    }
}
