package dev.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.Sysctl;
import dev.sluice.runtime.device.CableSpec;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.device.TunSpec;
import dev.sluice.runtime.service.Service;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

@Timeout(60)
class LiveConfigTest {
    private static final String PAIR =
            """
            # two stacks on one cable
            stack.server.device=cable:lan
            stack.server.address=10.9.0.1/24, fd00::1
            stack.client.device = cable:lan
            stack.client.address : 10.9.0.2/24
            """;

    private static LiveConfig parse(String text) throws LiveConfigException {
        return LiveConfig.parse("my.properties", text);
    }

    /** What is wrong with the text, without the name of the file in front. */
    private static String complaint(String text) {
        try {
            parse(text);
            return "nothing";
        } catch (LiveConfigException e) {
            assertThat(e.getMessage()).startsWith("my.properties:");
            return e.getMessage().substring("my.properties:".length());
        }
    }

    private static IpAddress ip(String text) {
        return IpAddress.parse(text).address();
    }

    // ---- what it says ------------------------------------------------------------------------

    @Test
    void stacks_come_in_the_order_of_the_file_with_their_addresses() throws Exception {
        LiveConfig config = parse(PAIR);
        assertThat(config.stackNames()).containsExactly("server", "client");
        assertThat(config.stacks().getFirst().addresses())
                .containsExactly(
                        new AddressPrefix(ip("10.9.0.1"), 24),
                        new AddressPrefix(ip("fd00::1"), 64));
        assertThat(config.stacks()).extracting(StackPlan::cable).containsExactly("lan", "lan");
        assertThat(config.cables()).containsOnly(Map.entry("lan", CableSpec.named("lan")));
    }

    @Test
    void a_cable_may_be_slow_long_and_lossy() throws Exception {
        LiveConfig config =
                parse(
                        PAIR
                                + """
                                cable.lan.mtu=9000
                                cable.lan.plain=true
                                cable.lan.rate=1.5mbit
                                cable.lan.queue=64k
                                cable.lan.delay=10ms
                                cable.lan.loss=0.5%
                                cable.lan.seed=42
                                """);
        assertThat(config.cables().get("lan"))
                .isEqualTo(
                        new CableSpec(
                                "lan", 9000, false, 1_500_000, 65_536, 10_000_000, 5_000_000, 42));
    }

    @Test
    void a_single_stack_needs_no_name() throws Exception {
        LiveConfig config = parse("device=tun:sluice0\naddress=10.9.0.2\nplain=true\n");
        assertThat(config.stackNames()).containsExactly("default");
        assertThat(config.stacks().getFirst().tun()).isEqualTo(TunSpec.attach("sluice0", false));
    }

    @Test
    void a_TUN_device_is_made_if_the_kernel_gets_an_address() throws Exception {
        LiveConfig config =
                parse("device=tun:sluice0\naddress=10.9.0.2/16\nhost=10.9.0.1/16\nmtu=9000\n");
        assertThat(config.stacks().getFirst().tun())
                .isEqualTo(TunSpec.create("sluice0", true, ip("10.9.0.1"), 16, 9000));
    }

    @Test
    void sysctls_are_for_all_stacks_or_for_one() throws Exception {
        LiveConfig config =
                parse(
                        """
                        stack.a.sysctl.tcp_sack=1
                        stack.a.device=none
                        stack.b.device=none
                        sysctl.net.ipv4.tcp_sack=0
                        sysctl.net.ipv4.tcp_rmem=4096 65536 1000000
                        """);
        StackPlan a = config.stacks().getFirst();
        StackPlan b = config.stacks().getLast();
        assertThat(a.config().value(Sysctl.TCP_SACK)).isEqualTo("1");
        assertThat(b.config().value(Sysctl.TCP_SACK)).isEqualTo("0");
        assertThat(a.config().rmemMax).isEqualTo(1_000_000);
        assertThat(a.config().value(Sysctl.STACK_TRUESIZE)).isEqualTo("slab");
    }

    @Test
    void lines_may_be_continued_and_escaped_as_in_every_properties_file() throws Exception {
        LiveConfig config =
                parse("! comment\n\ndevice=tun\\\n    :sluice\\u0030\naddress 10.9.0.2/24");
        assertThat(config.stacks().getFirst().tun().name()).isEqualTo("sluice0");
        assertThat(complaint("device=none\\\n\n\nadress=1.2.3.4")).startsWith("4: ");
        assertThat(complaint("device=\\uXYZW"))
                .isEqualTo("1: an escape of the form \\uXXXX is malformed");
    }

    @Test
    void the_examples_and_the_keys_of_the_documentation_are_accepted() throws Exception {
        String whole = Files.readString(documentation());
        // Other sections have tables of other things.
        String page =
                whole.substring(0, whole.indexOf("## Sockets"))
                        + whole.substring(whole.indexOf("## Cable"));
        Matcher example = Pattern.compile("```properties\n(.*?)```", Pattern.DOTALL).matcher(page);
        int examples = 0;
        while (example.find()) {
            assertThat(parse(example.group(1)).stackNames()).isNotEmpty();
            examples++;
        }
        assertThat(examples).isEqualTo(2);
        Matcher key = Pattern.compile("(?m)^\\| `([a-z.A-Z]+)` \\|").matcher(page);
        int keys = 0;
        while (key.find()) {
            String name = key.group(1).replace("NAME", "x").replace("KEY", "tcp_sack");
            assertThat(complaint(name + "=1")).doesNotContain("there is no key");
            keys++;
        }
        assertThat(keys).as("5 of a stack, 7 of a cable, 2 for sysctls").isEqualTo(14);
    }

    private static Path documentation() {
        Path here = Path.of("docs", "live.md");
        return Files.exists(here) ? here : Path.of("..").resolve(here);
    }

    // ---- what may be wrong -------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "adress=10.0.0.1 | address",
                "stack.server.devise=none | stack.server.device",
                "stak.server.device=none | stack.server.device",
                "stack.server.sysctrl.tcp_sack=0 | stack.server.sysctl.tcp_sack",
                "cable.lan.dealy=1ms | cable.lan.delay",
                "sysctrl.tcp_sack=0 | sysctl.tcp_sack",
                "hots=10.0.0.1 | host",
                "stack.server=none | stack.server.mtu",
                "stack=none | stack.NAME.mtu",
                "cable.lan=1ms | cable.lan.mtu",
            })
    void an_unknown_key_is_answered_with_the_nearest(String line, String nearest) {
        String key = line.substring(0, line.indexOf('='));
        assertThat(complaint("# comment\n" + line))
                .isEqualTo("2: there is no key \"" + key + "\"; the nearest is " + nearest);
    }

    @Test
    void a_misspelt_sysctl_is_answered_with_the_nearest() {
        assertThat(complaint("device=none\nsysctl.net.ipv4.tcp_sak=0"))
                .isEqualTo(
                        "2: sysctl.net.ipv4.tcp_sak: there is no key \"net.ipv4.tcp_sak\"; the"
                                + " nearest is net.ipv4.tcp_sack");
        assertThat(complaint("device=none\nsysctl.tcp_sack=perhaps"))
                .startsWith("2: sysctl.tcp_sack: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "device=eth0 | 1: \"eth0\" is not cable:NAME, tun:NAME or none",
                "device=tun: | 1: \"tun:\" is not cable:NAME, tun:NAME or none",
                "device=none:x | 1: \"none:x\" is not cable:NAME, tun:NAME or none",
                "device=tun:0123456789abcdef | 1: the stack has no address=IP/PREFIX to answer to",
                "address=10.0.0.1 | 1: the stack has no device=cable:NAME, tun:NAME or none",
                "stack.a.address=::1 | 1: the stack has no stack.a.device=cable:NAME, tun:NAME or"
                        + " none",
                "stack.a.device=none~device=none | 2: where stacks are named, every key of a stack"
                        + " begins with stack.NAME.",
                "stack.a b.device=none | 1: there is no key \"stack.a\"; the nearest is"
                        + " stack.a.mtu",
                "stack.ä.device=none | 1: the name of a stack is made of letters, digits, - and _,"
                        + " not \"ä\"",
                "device=none~device=none | 2: device has been given in line 1 already",
                "device=none~mtu=1500 | 2: mtu is for a TUN device, and this stack is on none",
                "device=cable:x~address=::2~mtu=9 | 3: a cable has one for both its ends: write"
                        + " cable.x.mtu",
                "device=cable:x~address=::2~host=::3 | 3: host is for a TUN device, and this stack"
                        + " is on cable:x",
                "device=cable:x~address=::2 | 1: a cable joins two stacks, and default is on"
                        + " cable:x",
                "device=none~cable.x.mtu=1500 | 2: a cable joins two stacks, and no stack is on"
                        + " cable:x",
            })
    void what_does_not_fit_together_is_told_with_its_line(String text, String complaint) {
        assertThat(complaint(text.replace('~', '\n'))).isEqualTo(complaint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "address=10.0.0 | address: \"10.0.0\" is no address",
                "address=10.0.0.1/33 | address: \"10.0.0.1/33\": the prefix of such an address has"
                        + " 0 to 32 bits",
                "address=fd00::1/129 | address: \"fd00::1/129\": the prefix of such an address has"
                        + " 0 to 128 bits",
                "address=10.0.0.1, | address: \"\" is no address",
                "address=224.0.0.1 | 224.0.0.1 is no address of a single host",
                "address=0.0.0.0 | 0.0.0.0 is no address of a single host",
                "plain=yes | plain: \"yes\" is not true or false",
                "mtu=1279 | an MTU is 1280 to 65535 bytes, not 1279",
                "mtu=65536 | an MTU is 1280 to 65535 bytes, not 65536",
                "mtu=big | mtu: \"big\" is not a whole number",
                "host=10.9.0.2 | 10.9.0.2 is the stack's own address: the kernel needs another one",
                "host=nowhere | host: \"nowhere\" is no address",
            })
    void a_value_of_a_TUN_device_that_cannot_be_is_told(String line, String complaint) {
        String base = "device=tun:sluice0\n";
        base += line.startsWith("address") ? "" : "address=10.9.0.2\n";
        base += line.startsWith("host") ? "" : "host=10.9.0.1\n";
        int number = (int) base.lines().count() + 1;
        assertThat(complaint(base + line)).startsWith(number + ": " + complaint);
    }

    @Test
    void the_MTU_of_a_device_that_exists_is_not_ours_to_set() {
        assertThat(complaint("device=tun:t0\naddress=10.9.0.2\nmtu=1500"))
                .isEqualTo(
                        "3: the MTU of a device that exists is its own ('ip link set t0 mtu"
                                + " BYTES'); mtu is for one that is made, with host");
        assertThat(complaint("device=tun:0123456789abcdef\naddress=10.9.0.2"))
                .isEqualTo(
                        "1: device: the name of a TUN device has 1 to 15 bytes without spaces, '/',"
                                + " ':' and '%', not \"0123456789abcdef\"");
        assertThat(
                        complaint(
                                "stack.a.device=tun:t0\nstack.a.address=10.9.0.2\n"
                                        + "stack.b.device=tun:t0\nstack.b.address=10.9.0.3"))
                .isEqualTo("3: t0 is the device of stack a already");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rate=fast | \"fast\" is not a rate, as in 100mbit (bit, kbit, mbit, gbit)",
                "rate=10mb | \"10mb\" is not a rate, as in 100mbit (bit, kbit, mbit, gbit)",
                "rate=9999gbit | the rate of a cable is 0 to 1000000000000 bit/s, not"
                        + " 9999000000000",
                "rate=999999999999999999gbit | \"999999999999999999gbit\" is too large",
                "delay=10 | \"10\" is not a time with its unit, as in 10ms (ns, us, ms, s)",
                "delay=2000000s | the delay of a cable is 0 to 86400000000000 ns, not"
                        + " 2000000000000000",
                "loss=101% | \"101%\" is not a probability from 0 to 1, as in 0.01 or 1%",
                "loss=1.1 | \"1.1\" is not a probability from 0 to 1, as in 0.01 or 1%",
                "loss=-1 | \"-1\" is not a probability from 0 to 1, as in 0.01 or 1%",
                "seed=x | \"x\" is not a whole number",
                "plain=1 | \"1\" is not true or false",
            })
    void a_value_of_a_cable_that_cannot_be_is_told(String line, String complaint) {
        String key = line.substring(0, line.indexOf('='));
        assertThat(complaint(PAIR + "cable.lan." + line))
                .isEqualTo("6: cable.lan." + key + ": " + complaint);
    }

    @Test
    void a_queue_belongs_to_a_rate_and_holds_a_packet_at_least() {
        assertThat(complaint(PAIR + "cable.lan.queue=64k"))
                .isEqualTo("6: only a cable with a rate has a queue: give cable.lan.rate too");
        assertThat(complaint(PAIR + "cable.lan.rate=1mbit\ncable.lan.queue=1k"))
                .isEqualTo(
                        "7: cable.lan.queue: the queue of a cable is 1500 to 1073741824 bytes, not"
                                + " 1024");
        assertThat(complaint(PAIR + "cable.lan.rate=1mbit\ncable.lan.queue=1x"))
                .startsWith("7: cable.lan.queue: \"1x\" is not a number of bytes");
        assertThat(complaint(PAIR + "cable.lan.mtu=100"))
                .isEqualTo("6: an MTU is 1280 to 65535 bytes, not 100");
    }

    @Test
    void a_third_stack_does_not_fit_on_a_cable() {
        assertThat(complaint(PAIR + "stack.x.device=cable:lan\nstack.x.address=10.9.0.3"))
                .isEqualTo("2: a cable joins two stacks, and server, client, x is on cable:lan");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing\n", "sysctl.tcp_sack=0\n"})
    void a_file_without_a_stack_is_told_so(String text) {
        assertThat(complaint(text))
                .isEqualTo(
                        " it describes no stack: it needs at least device=cable:NAME, tun:NAME or"
                                + " none");
    }

    // ---- where it is -------------------------------------------------------------------------

    @Test
    void the_property_comes_before_the_variable_and_that_before_the_working_directory(
            @TempDir Path directory) throws Exception {
        for (String name : new String[] {"p", "v", "sluice"}) {
            Files.writeString(
                    directory.resolve(name + ".properties"), "stack." + name + ".device=none");
        }
        LiveConfig byProperty =
                LiveConfig.find(key -> "p.properties", key -> "v.properties", directory);
        LiveConfig byVariable = LiveConfig.find(key -> null, key -> "v.properties", directory);
        LiveConfig byDirectory = LiveConfig.find(key -> null, key -> "", directory);
        assertThat(byProperty.stackNames()).containsExactly("p");
        assertThat(byVariable.stackNames()).containsExactly("v");
        assertThat(byDirectory.stackNames()).containsExactly("sluice");
    }

    @Test
    void a_file_that_is_not_there_or_cannot_be_read_is_told(@TempDir Path directory)
            throws Exception {
        assertThatThrownBy(() -> LiveConfig.find(key -> null, key -> null, directory))
                .isInstanceOf(LiveConfigException.class)
                .hasMessage(
                        "there is no sluice.properties in the working directory: write one, or name"
                                + " another file with -Ddev.sluice.config=FILE or"
                                + " SLUICE_CONFIG=FILE");
        assertThatThrownBy(() -> LiveConfig.find(key -> "gone", key -> null, directory))
                .isInstanceOf(LiveConfigException.class)
                .hasMessage(
                        "there is no file gone, which the system property dev.sluice.config names");
        assertThatThrownBy(() -> LiveConfig.find(key -> null, key -> "gone", directory))
                .isInstanceOf(LiveConfigException.class)
                .hasMessage(
                        "there is no file gone, which the environment variable SLUICE_CONFIG"
                                + " names");
        assertThatThrownBy(() -> LiveConfig.load(directory.resolve("gone")))
                .isInstanceOf(LiveConfigException.class)
                .hasMessage("there is no file " + directory.resolve("gone"));
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, 0x41});
        assertThatThrownBy(() -> LiveConfig.load(binary))
                .isInstanceOf(LiveConfigException.class)
                .hasMessage(binary + " is not UTF-8");
        assertThatThrownBy(() -> LiveConfig.load(directory))
                .isInstanceOf(LiveConfigException.class)
                .hasMessageStartingWith(directory + " cannot be read: ");
    }

    // ---- what it makes -----------------------------------------------------------------------

    @Test
    void the_stacks_of_a_file_talk_to_each_other() throws Exception {
        try (LiveStacks stacks = parse(PAIR).open()) {
            assertThat(stacks.names()).containsExactly("server", "client");
            assertThat(stacks.first()).isSameAs(stacks.get("server"));
            stacks.first()
                    .loop()
                    .call(
                            now -> {
                                Service.ECHO.listen(stacks.first().stack());
                                return 0;
                            });
            EchoClient echo = EchoClient.start(stacks.get("client"), ip("10.9.0.1"), 100_000);
            assertThat(echo.outcome()).matches("[0-9a-f]{64}");
            assertThatThrownBy(() -> stacks.get("nobody"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("there is no stack \"nobody\", only server, client");
        }
    }

    @Test
    void the_kernel_reaches_a_stack_on_a_device_that_the_file_has_made() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/net/tun")), "needs /dev/net/tun");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        String text =
                """
                device=tun:sluice-cfg
                host=198.51.100.129/28
                address=198.51.100.130/28
                mtu=1400
                """;
        try (LiveStacks stacks = parse(text).open()) {
            LiveStack stack = stacks.get("default");
            stack.loop()
                    .call(
                            now -> {
                                Service.ECHO.listen(stack.stack());
                                return 0;
                            });
            try (Socket kernel = new Socket("198.51.100.130", 7)) {
                kernel.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
                assertThat(kernel.getInputStream().readNBytes(5)).asString().isEqualTo("hello");
            }
        }
    }

    @Test
    void if_a_device_cannot_be_had_nothing_is_left_open() throws Exception {
        LiveConfig config =
                parse(PAIR + "stack.t.device=tun:sluice-none\nstack.t.address=10.8.0.1\n");
        long before = openFiles();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(config::open)
                    .isInstanceOf(DeviceException.class)
                    .hasMessageStartingWith("there is no device sluice-none");
        }
        assertThat(openFiles()).isEqualTo(before);
    }

    private static long openFiles() throws Exception {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }
}
