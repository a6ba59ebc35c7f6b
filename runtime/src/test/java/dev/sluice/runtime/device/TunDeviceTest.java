package dev.sluice.runtime.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Devices of the real kernel; skipped, with the reason, where that needs what is not there. */
@Timeout(120)
class TunDeviceTest {
    private static final String NAME = "sluice-u0";
    private static final IpAddress HOST4 = IpAddress.parse("198.51.100.1").address();
    private static final IpAddress HOST6 = IpAddress.parse("2001:db8:77::1").address();

    @BeforeEach
    void needs_root() {
        assumeTrue(Files.exists(Path.of("/dev/net/tun")), "needs /dev/net/tun");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
    }

    @AfterEach
    void remove_what_a_test_left() throws Exception {
        TunProbe.text("ip", "link", "delete", NAME);
    }

    private static void needs(String command) {
        boolean there =
                List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin").stream()
                        .anyMatch(d -> Files.isExecutable(Path.of(d, command)));
        assumeTrue(there, "needs the command " + command);
    }

    private static String show() throws Exception {
        return TunProbe.text("ip", "address", "show", "dev", NAME);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_device_is_made_with_address_and_MTU_is_up_and_ends_with_its_file(boolean offload)
            throws Exception {
        needs("ip");
        TunDevice device = TunDevice.open(TunSpec.create(NAME, offload, HOST4, 25, 1400));
        assertThat(device.mtu()).isEqualTo(1400);
        assertThat(device.isUp()).isTrue();
        assertThat(show()).contains("mtu 1400", "inet 198.51.100.1/25").containsPattern("<.*UP");
        device.up(false);
        assertThat(device.isUp()).isFalse();
        assertThat(show()).doesNotContainPattern("<.*\\bUP\\b");
        device.up(true);
        assertThat(show()).containsPattern("<.*\\bUP\\b");
        device.close();
        assertThat(show()).contains("does not exist");
    }

    @Test
    void a_device_may_have_an_IPv6_address() throws Exception {
        needs("ip");
        assumeTrue(Files.exists(Path.of("/proc/net/if_inet6")), "needs IPv6");
        try (TunDevice device = TunDevice.open(TunSpec.create(NAME, true, HOST6, 80, 1500))) {
            assertThat(device.mtu()).isEqualTo(1500);
            assertThat(show()).contains("inet6 2001:db8:77::1/80");
        }
    }

    @Test
    void a_device_that_exists_stays_as_it_is_also_when_it_is_closed() throws Exception {
        needs("ip");
        TunProbe.text("ip", "tuntap", "add", "dev", NAME, "mode", "tun");
        TunProbe.text("ip", "link", "set", NAME, "mtu", "4000");
        try (TunDevice device = TunDevice.open(TunSpec.attach(NAME, true))) {
            assertThat(device.mtu()).isEqualTo(4000);
            assertThat(device.isUp()).isFalse();
        }
        assertThat(show()).contains("mtu 4000");
        assertThatThrownBy(() -> TunDevice.open(TunSpec.create(NAME, true, HOST4, 24, 1500)))
                .isInstanceOf(DeviceException.class)
                .hasMessageStartingWith(NAME + " exists already: attach to it without a host");
    }

    @Test
    void a_device_has_one_user() throws Exception {
        try (TunDevice device = TunDevice.open(TunSpec.create(NAME, true, HOST4, 24, 1500))) {
            assertThat(device.name()).isEqualTo(NAME);
            assertThatThrownBy(() -> TunDevice.open(TunSpec.attach(NAME, true)))
                    .isInstanceOf(DeviceException.class)
                    .hasMessage(
                            NAME
                                    + " is in use by another process, or by another stack of this"
                                    + " one: stop that, or choose another device");
        }
    }

    @Test
    void a_device_of_another_kind_is_refused() throws Exception {
        needs("ip");
        TunProbe.text("ip", "tuntap", "add", "dev", NAME, "mode", "tap");
        assertThatThrownBy(() -> TunDevice.open(TunSpec.attach(NAME, true)))
                .isInstanceOf(DeviceException.class)
                .hasMessageStartingWith(NAME + " cannot be used as a TUN device, since it is of");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a b", "a/b", "tun%d", "a:b", "0123456789abcdef"})
    void a_name_that_no_device_can_have_is_refused(String name) {
        assertThatThrownBy(() -> TunSpec.attach(name, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the name of a TUN device has 1 to 15 bytes")
                .hasMessageEndingWith("\"" + name + "\"");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1279, 65_536})
    void an_MTU_that_no_device_can_have_is_refused(int mtu) {
        assertThatThrownBy(() -> TunSpec.create(NAME, true, HOST4, 24, mtu))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an MTU is 1280 to 65535 bytes, not " + mtu);
    }

    // ---- in a process that lacks something ---------------------------------------------------

    @Test
    void a_machine_without_dev_net_tun_is_told_where_it_comes_from() throws Exception {
        needs("unshare");
        String hide = "mount -t tmpfs none /dev/net && exec \"$@\"";
        String said = TunProbe.run(List.of("unshare", "-m", "sh", "-c", hide, "sh"), NAME, "::9");
        assumeTrue(!said.contains("unshare") && !said.contains("mount:"), said);
        assertThat(said)
                .isEqualTo(
                        "this machine has no /dev/net/tun: load the module with 'modprobe tun', or"
                                + " give the container that device");
    }

    @Test
    void a_user_who_may_not_open_dev_net_tun_is_told_how_root_allows_it() throws Exception {
        needs("unshare");
        needs("setpriv");
        String forbid =
                "mount -t tmpfs none /dev/net && touch /dev/net/tun && chmod 0 /dev/net/tun &&"
                        + " exec setpriv --bounding-set=-dac_override,-dac_read_search \"$@\"";
        String said = TunProbe.run(List.of("unshare", "-m", "sh", "-c", forbid, "sh"), NAME, "::9");
        assumeTrue(!said.contains("unshare") && !said.contains("mount:"), said);
        assertThat(said)
                .isEqualTo(
                        "/dev/net/tun may not be opened by this user: run as root, or have root"
                                + " allow it with 'chmod 666 /dev/net/tun' and make the device with"
                                + " 'ip tuntap add dev sluice-u0 mode tun user $USER'");
    }

    @Test
    void a_process_without_the_capability_is_told_which() throws Exception {
        needs("setpriv");
        String said =
                TunProbe.run(
                        List.of("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin"),
                        NAME,
                        "198.51.100.1");
        assertThat(said)
                .isEqualTo(
                        "this needs the capability CAP_NET_ADMIN: run as root, or have root make"
                                + " the device for you with 'ip tuntap add dev sluice-u0 mode tun"
                                + " user $USER'");
    }

    @Test
    void a_machine_without_IPv6_is_told_so() throws Exception {
        needs("unshare");
        needs("sysctl");
        String without =
                "sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1"
                        + " && exec \"$@\"";
        String said =
                TunProbe.run(
                        List.of("unshare", "-n", "sh", "-c", without, "sh"),
                        NAME,
                        "2001:db8:77::1");
        assumeTrue(!said.contains("unshare") && !said.contains("sysctl:"), said);
        assertThat(said)
                .startsWith("sluice-u0 cannot have the host address 2001:db8:77::1 (")
                .endsWith(
                        "): enable IPv6 with 'sysctl net.ipv6.conf.all.disable_ipv6=0', or choose"
                                + " an IPv4 address");
    }

    // ---- the memory a packet takes -----------------------------------------------------------

    /** UDP payloads, and the capacity of the buffer that holds packet and virtio header. */
    @ParameterizedTest
    @CsvSource({
        "1, 256",
        "218, 256",
        "219, 2048",
        "2010, 2048",
        "2011, 4096",
        "5000, 8192",
        "10000, 16384",
        "20000, 32768",
        "32730, 32768",
        "32731, 66048",
        "60000, 66048"
    })
    void a_received_packet_takes_about_the_memory_it_needs(int payload, int capacity)
            throws Exception {
        PacketPool pool = new PacketPool(16 << 20);
        TunDevice device = TunDevice.open(TunSpec.create(NAME, true, HOST4, 24, 65_535));
        try (DatagramSocket socket = new DatagramSocket()) {
            InetAddress neighbor = InetAddress.getByName("198.51.100.2");
            socket.send(new DatagramPacket(new byte[payload], payload, neighbor, 9));
            PacketBuffer received = udp(device, pool);
            assertThat(received.length()).isEqualTo(payload + 28);
            assertThat(received.capacity()).isEqualTo(capacity);
            pool.release(received);
            device.releaseBuffers(pool);
            assertThat(pool.outstanding()).isZero();
        } finally {
            device.close();
            pool.close();
        }
    }

    /** The next UDP packet; the kernel also sends some of its own accord. */
    private static PacketBuffer udp(TunDevice device, PacketPool pool) throws Exception {
        PacketBuffer[] batch = new PacketBuffer[1];
        while (true) {
            if (device.receive(0, pool, batch) == 0) {
                Thread.onSpinWait();
                continue;
            }
            PacketBuffer packet = batch[0];
            int version = packet.bytes().get((int) packet.start()) >>> 4;
            int protocol = packet.bytes().get((int) packet.start() + 9);
            if (version == 4 && protocol == 17) {
                return packet;
            }
            pool.release(packet);
        }
    }
}
