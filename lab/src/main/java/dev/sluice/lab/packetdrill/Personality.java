package dev.sluice.lab.packetdrill;

import java.util.LinkedHashMap;
import java.util.Map;

/** Whose habits the stack under test is to have. */
public enum Personality {
    /** Linux, which the stack is modelled after. */
    LINUX,
    /**
     * FreeBSD, as far as configuration goes: the order of options and the window scale that its
     * suite expects, its names of parameters, and the branch that its scripts mark for it. How its
     * buffers turn into windows is not imitated, so windows and buffer sizes are not compared.
     */
    FREEBSD;

    /** Parameters to start from. */
    Map<String, String> settings() {
        return this == LINUX
                ? Map.of()
                : Map.of(
                        "net.ipv4.tcp_rmem", "4096 65536 4194240",
                        "net.ipv4.tcp_wmem", "4096 65536 4194304",
                        "net.core.rmem_max", "212992",
                        "net.ipv4.tcp_rfc1337", "1",
                        "net.stack.tcp_customs", "freebsd",
                        "net.stack.tcp_syn_options", "freebsd",
                        "net.stack.tcp_quick_acks", "0",
                        "net.stack.truesize", "loopback",
                        "net.ipv4.tcp_ecn", "2",
                        "net.ipv4.tcp_fastopen", "0");
    }

    /** Names that {@code #ifdef} lines find defined. */
    Map<String, String> definitions() {
        return this == LINUX ? Map.of("STANDARD", "1") : Map.of("FreeBSD", "1");
    }

    /**
     * A setting in our names.
     *
     * @return no entry for a setting that makes no difference to this stack
     * @throws UnsupportedScriptException if it makes one that we cannot express
     */
    Map<String, String> translate(ShellEffect.SetSysctl setting) {
        String name = setting.name();
        String value = setting.value();
        if (!name.startsWith("net.inet.") && !name.startsWith("kern.")) {
            return Map.of(name, value);
        }
        Map<String, String> ours = new LinkedHashMap<>();
        switch (name) {
            case "net.inet.tcp.rfc1323" -> {
                ours.put("net.ipv4.tcp_timestamps", value);
                ours.put("net.ipv4.tcp_window_scaling", value);
            }
            case "net.inet.tcp.sack.enable" -> ours.put("net.ipv4.tcp_sack", value);
            case "net.inet.tcp.ecn.enable" -> ours.put("net.ipv4.tcp_ecn", value);
            case "net.inet.tcp.syncookies" -> ours.put("net.ipv4.tcp_syncookies", value);
            case "net.inet.tcp.syncookies_only" ->
                    ours.put("net.ipv4.tcp_syncookies", value.equals("0") ? "1" : "2");
            case "net.inet.tcp.fastopen.client_enable" -> ours.put("net.ipv4.tcp_fastopen", value);
            case "net.inet.tcp.insecure_rst" -> ours.put("net.stack.tcp_insecure_rst", value);
            case "net.inet.tcp.insecure_syn" -> ours.put("net.stack.tcp_insecure_syn", value);
            case "net.inet.tcp.delacktime" -> ours.put("net.stack.tcp_delack_min_ms", value);
            case "net.inet.tcp.drop_synfin" -> ours.put("net.stack.tcp_drop_syn_fin", value);
            case "net.inet.tcp.keepcnt" -> ours.put("net.ipv4.tcp_keepalive_probes", value);
            case "net.inet.tcp.keepidle" ->
                    ours.put("net.ipv4.tcp_keepalive_time", seconds(setting));
            case "net.inet.tcp.keepintvl" ->
                    ours.put("net.ipv4.tcp_keepalive_intvl", seconds(setting));
            default -> requireIrrelevant(setting);
        }
        return ours;
    }

    private static String seconds(ShellEffect.SetSysctl setting) {
        long millis = Cursor.parseUnsigned(setting.value());
        if (millis % 1000 != 0) {
            throw new UnsupportedScriptException(
                    setting.position(), setting.name() + " in fractions of a second");
        }
        return Long.toString(millis / 1000);
    }

    /** Settings whose usual value is how we behave anyway. */
    private static void requireIrrelevant(ShellEffect.SetSysctl setting) {
        String usual =
                switch (setting.name()) {
                    case "net.inet.tcp.hostcache.purgenow" -> setting.value();
                    case "net.inet.tcp.blackhole" -> "0";
                    case "net.inet.tcp.recvspace" -> "65536";
                    case "net.inet.tcp.sendspace" -> "32768";
                    case "kern.ipc.maxsockbuf" -> "2097152";
                    case "net.inet.tcp.rexmit_initial" -> "1000";
                    case "net.inet.tcp.rexmit_slop" -> setting.value();
                    case "net.inet.tcp.rexmit_drop_options" -> "0";
                    case "net.inet.tcp.icmp_may_rst" -> "1";
                    default -> "";
                };
        if (!usual.equals(setting.value())) {
            throw new UnsupportedScriptException(
                    setting.position(), "sysctl " + setting.name() + "=" + setting.value());
        }
    }
}
