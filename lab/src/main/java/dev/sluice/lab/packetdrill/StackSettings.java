package dev.sluice.lab.packetdrill;

import dev.sluice.config.StackConfig;
import dev.sluice.config.Sysctl;
import dev.sluice.config.SysctlException;
import dev.sluice.config.Sysctls;

import java.util.LinkedHashMap;
import java.util.Map;

/** The parameters of the stack under test, collected before it is made. */
final class StackSettings {
    /**
     * What the defaults script of the public suites sets. It also sets parameters that have no
     * effect on any kernel a current suite is written for; they are in our table for that reason.
     */
    private static final Map<String, String> SUITE_DEFAULTS = suiteDefaults();

    private final Personality personality;
    private final Map<Sysctl, String> values = new LinkedHashMap<>();

    StackSettings(Personality personality) {
        this.personality = personality;
        personality.settings().forEach((name, value) -> values.put(Sysctls.find(name), value));
    }

    private static Map<String, String> suiteDefaults() {
        Map<String, String> values = new LinkedHashMap<>();
        String table =
                """
                tcp_rmem=4096 540000 15728640
                tcp_wmem=4096 262144 4194304
                tcp_timestamps=1
                tcp_syn_retries=5
                tcp_synack_retries=5
                tcp_frto=2
                tcp_sack=1
                tcp_dsack=1
                tcp_fack=0
                tcp_reordering=3
                tcp_congestion_control=cubic
                tcp_slow_start_after_idle=0
                tcp_early_retrans=4
                tcp_recovery=1
                tcp_tso_win_divisor=3
                tcp_ecn=0
                tcp_ecn_option=2
                tcp_pacing_ss_ratio=200
                tcp_pacing_ca_ratio=120
                tcp_notsent_lowat=4294967295
                tcp_fastopen=0x70403
                tcp_fastopen_key=a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4
                tcp_syncookies=1
                """;
        for (String line : table.strip().split("\n")) {
            int equals = line.indexOf('=');
            values.put("net.ipv4." + line.substring(0, equals), line.substring(equals + 1));
        }
        return values;
    }

    void loadDefaults(Position position) {
        SUITE_DEFAULTS.forEach(
                (name, value) -> set(new ShellEffect.SetSysctl(position, name, value)));
    }

    /**
     * Sets one parameter.
     *
     * @return whether that changes anything
     * @throws UnsupportedScriptException if there is none of that name, or it cannot be that value
     */
    boolean set(ShellEffect.SetSysctl setting) {
        boolean changes = false;
        for (Map.Entry<String, String> translated : personality.translate(setting).entrySet()) {
            try {
                Sysctl key = Sysctls.find(translated.getKey());
                String before = StackConfig.builder().build().value(key);
                StackConfig after = StackConfig.builder().set(key, translated.getValue()).build();
                String old = values.containsKey(key) ? values.get(key) : before;
                String normal = after.value(key);
                values.put(key, normal);
                changes |= !normal.equals(old);
            } catch (SysctlException unknown) {
                throw new UnsupportedScriptException(
                        setting.position(),
                        "sysctl "
                                + setting.name()
                                + "="
                                + setting.value()
                                + ": "
                                + unknown.getMessage());
            }
        }
        return changes;
    }

    /** A key of zeros was asked for; in the configuration that stands for a key made by chance. */
    boolean hasZeroFastOpenKey() {
        String key = values.get(Sysctl.TCP_FASTOPEN_KEY);
        return key != null && key.chars().allMatch(c -> c == '0' || c == '-');
    }

    StackConfig build() {
        StackConfig.Builder builder = StackConfig.builder();
        values.forEach(builder::set);
        return builder.build();
    }
}
