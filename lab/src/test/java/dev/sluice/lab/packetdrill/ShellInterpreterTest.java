package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

class ShellInterpreterTest {
    private static final Position AT = new Position("t.pkt", 3, 5);

    private static List<ShellEffect> effects(String text) {
        return ShellInterpreter.interpret(new Step.ShellText(AT, text));
    }

    private static ShellEffect effect(String text) {
        List<ShellEffect> effects = effects(text);
        assertThat(effects).hasSize(1);
        return effects.getFirst();
    }

    @Test
    void defaults_are_loaded_and_undo_scripts_recognized() {
        assertThat(effect("../../common/defaults.sh")).isEqualTo(new ShellEffect.LoadDefaults(AT));
        assertThat(effect("/tmp/sysctl_restore_${PPID}.sh"))
                .isEqualTo(new ShellEffect.RestoreSysctls(AT));
    }

    @Test
    void sysctl_sets_one_or_many_in_either_spelling() {
        assertThat(effects("sysctl -q net.ipv4.tcp_ecn=2 net/ipv4/tcp_sack=0 # why"))
                .containsExactly(
                        new ShellEffect.SetSysctl(AT, "net.ipv4.tcp_ecn", "2"),
                        new ShellEffect.SetSysctl(AT, "net.ipv4.tcp_sack", "0"));
        assertThat(effect("../common/set_sysctls.py /proc/sys/net/ipv4/tcp_wmem=\"4096 5 6\""))
                .isEqualTo(new ShellEffect.SetSysctl(AT, "net.ipv4.tcp_wmem", "4096 5 6"));
        assertThat(effect("sysctl -w net.ipv4.tcp_rmem=\"4096 8 $((2*1024*1024+1))\""))
                .isEqualTo(new ShellEffect.SetSysctl(AT, "net.ipv4.tcp_rmem", "4096 8 2097153"));
    }

    @Test
    void a_command_goes_on_after_a_backslash_and_ends_at_the_line() {
        List<ShellEffect> effects = effects("sysctl -q \\\n a.b=1\\\n\nsysctl c.d=2; sysctl e.f=3");

        assertThat(effects)
                .containsExactly(
                        new ShellEffect.SetSysctl(AT, "a.b", "1"),
                        new ShellEffect.SetSysctl(new Position("t.pkt", 6, 1), "c.d", "2"),
                        new ShellEffect.SetSysctl(new Position("t.pkt", 6, 15), "e.f", "3"));
    }

    @Test
    void nstat_resets_or_demands_a_counter() {
        assertThat(effect("nstat > /dev/null")).isEqualTo(new ShellEffect.ResetCounters(AT));
        assertThat(effect("nstat -n")).isEqualTo(new ShellEffect.ResetCounters(AT));
        assertThat(effect("nstat | grep TcpExtOutOfWindowIcmps > /dev/null"))
                .isEqualTo(
                        new ShellEffect.ExpectCounter(
                                AT, "TcpExtOutOfWindowIcmps", OptionalLong.empty()));
        assertThat(effect("nstat | grep TcpExtBeyondWindow | grep -q \" 3 \""))
                .isEqualTo(
                        new ShellEffect.ExpectCounter(
                                AT, "TcpExtBeyondWindow", OptionalLong.of(3)));
        assertThat(effect("nstat -a | grep X")).isInstanceOf(ShellEffect.Unsupported.class);
        assertThat(effect("nstat | awk X")).isInstanceOf(ShellEffect.Unsupported.class);
    }

    @Test
    void tc_sets_the_queue() {
        assertThat(
                        effects(
                                "tc qdisc delete dev tun0 root 2>/dev/null ; tc qdisc add dev tun0"
                                        + " root pfifo limit 0"))
                .containsExactly(
                        new ShellEffect.SetQdisc(
                                AT, ShellEffect.Discipline.FIFO, OptionalInt.empty()),
                        new ShellEffect.SetQdisc(
                                new Position("t.pkt", 3, 49),
                                ShellEffect.Discipline.FIFO,
                                OptionalInt.of(0)));
        assertThat(effect("tc qdisc replace dev tun0 root fq"))
                .isEqualTo(
                        new ShellEffect.SetQdisc(
                                AT, ShellEffect.Discipline.FAIR_QUEUE, OptionalInt.empty()));
        assertThat(effect("tc qdisc replace dev tun0 root netem delay 3"))
                .isInstanceOf(ShellEffect.Unsupported.class);
    }

    @Test
    void ip_sets_routes_links_and_flushes_metrics() {
        assertThat(effect("ip tcp_metrics flush all > /dev/null 2>&1"))
                .isEqualTo(new ShellEffect.FlushMetrics(AT));
        assertThat(
                        effect(
                                "ip route change 192.0.2.1 via 192.168.0.2 dev tun0 advmss 600 mtu"
                                        + " lock 640 initcwnd 11"))
                .isEqualTo(
                        new ShellEffect.SetRoute(
                                AT,
                                OptionalInt.of(640),
                                true,
                                OptionalInt.of(600),
                                OptionalInt.of(11)));
        assertThat(effect("ip link set dev tun0 mtu 1300"))
                .isEqualTo(new ShellEffect.SetDeviceMtu(AT, 1300));
        assertThat(effect("ip rule add x")).isInstanceOf(ShellEffect.Unsupported.class);
    }

    @Test
    void ethtool_switches_offloads() {
        assertThat(effects("ethtool -K tun0 tso off gso on"))
                .containsExactly(
                        new ShellEffect.SetOffload(AT, "tso", false),
                        new ShellEffect.SetOffload(AT, "gso", true));
    }

    @Test
    void files_of_zeros_are_made_and_removed() {
        assertThat(
                        effects(
                                "/bin/rm -f /tmp/f\n"
                                    + "/bin/dd bs=2 count=5 if=/dev/zero of=/tmp/f status=none"))
                .containsExactly(
                        new ShellEffect.RemoveFile(AT, "/tmp/f"),
                        new ShellEffect.CreateFile(new Position("t.pkt", 4, 1), "/tmp/f", 10));
    }

    @Test
    void module_parameters_are_written_by_echo() {
        assertThat(effect("echo 3 > /sys/module/tcp_cubic/parameters/hystart_detect"))
                .isEqualTo(
                        new ShellEffect.SetModuleParameter(AT, "tcp_cubic", "hystart_detect", "3"));
        assertThat(effect("echo 3 > /etc/passwd")).isInstanceOf(ShellEffect.Unsupported.class);
    }

    @Test
    void sockets_are_counted() {
        assertThat(effect("grep \" 0A \" /proc/net/tcp /proc/net/tcp6 | grep \":1F90\""))
                .isEqualTo(new ShellEffect.ExpectSockets(AT, "LISTEN", OptionalInt.of(8080), 1));
        assertThat(effect("sockstat -4 -P tcp -p 80 -s | grep -c SYN_RCVD | grep 0"))
                .isEqualTo(new ShellEffect.ExpectSockets(AT, "SYN_RCVD", OptionalInt.of(80), 0));
        assertThat(effect("tcpdrop -s TIME_WAIT"))
                .isEqualTo(new ShellEffect.DropConnections(AT, "TIME_WAIT"));
    }

    @Test
    void the_second_of_two_alternatives_waits_for_the_first() {
        assertThat(effect("sysctl -q a.b=1 &> /dev/null ||\\\n ip tcp_metrics flush all"))
                .isEqualTo(
                        new ShellEffect.OrElse(
                                AT,
                                List.of(new ShellEffect.SetSysctl(AT, "a.b", "1")),
                                List.of(
                                        new ShellEffect.FlushMetrics(
                                                new Position("t.pkt", 4, 2)))));
    }

    @Test
    void what_is_unknown_is_reported_with_its_place() {
        List<ShellEffect> effects = effects("sysctl a.b=1\n  reboot now");

        assertThat(effects).hasSize(2);
        ShellEffect.Unsupported unsupported = (ShellEffect.Unsupported) effects.get(1);
        assertThat(unsupported.position()).isEqualTo(new Position("t.pkt", 4, 3));
        assertThat(unsupported.command()).isEqualTo("reboot now");
        assertThat(effect("sysctl -q a.b=1 | tee x")).isInstanceOf(ShellEffect.Unsupported.class);
    }

    @Test
    void broken_arithmetic_is_an_error_with_its_place() {
        assertThatThrownBy(() -> effects("sysctl a=$((1-2))"))
                .isInstanceOf(ScriptSyntaxException.class)
                .hasMessage("t.pkt:3:14: expected integers, * and + only, found '1-2'");
    }
}
