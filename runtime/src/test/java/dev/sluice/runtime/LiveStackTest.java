package dev.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;

import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.device.TunDevice;
import dev.sluice.runtime.device.TunSpec;
import dev.sluice.runtime.service.Service;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;

/** Stacks on devices of the real kernel, each in a namespace of its own. */
@Timeout(120)
class LiveStackTest {
    private static final IpAddress OURS = IpAddress.parse("10.98.7.2").address();

    /** A stack with all services on a device that then moves into the namespace. */
    private static LiveStack start(Namespace namespace, String device, boolean offload)
            throws Exception {
        IpAddress temporary = IpAddress.parse("192.0.2.1").address();
        LiveStack live =
                new LiveStack(
                        LiveStack.config().build(),
                        TunDevice.open(TunSpec.create(device, offload, temporary, 32, 1500)));
        live.addAddress(OURS, 24);
        for (Service service : Service.values()) {
            service.listen(live.stack());
        }
        namespace.take(device, "10.98.7.1/24");
        live.start();
        return live;
    }

    /** Downloads so many MiB from the character generator and hands back their digest. */
    private static String download(Namespace namespace, int mebibytes) throws Exception {
        return namespace.run(
                "bash",
                "-c",
                "exec 3<>/dev/tcp/10.98.7.2/19; head -c "
                        + mebibytes
                        + "M <&3 | sha256sum | cut -d' ' -f1");
    }

    /** The digest of what RFC 864 says to send, made without us. */
    private static String expected(Namespace namespace, int mebibytes) throws Exception {
        String program =
                "import sys,hashlib\n"
                        + "c=bytes(range(32,127))\n"
                        + "p=b''.join((c+c)[i:i+72]+b'\\r\\n' for i in range(95))\n"
                        + "n="
                        + mebibytes
                        + "<<20\n"
                        + "print(hashlib.sha256((p*(n//len(p)+1))[:n]).hexdigest())";
        return namespace.run("python3", "-c", program);
    }

    @Test
    void two_stacks_of_one_jvm_serve_at_once_with_and_without_offload() throws Exception {
        try (Namespace first = Namespace.create("a");
                Namespace second = Namespace.create("b");
                LiveStack fast = start(first, "sluice-t0", true);
                LiveStack plain = start(second, "sluice-t1", false)) {
            String expected = expected(first, 64);
            assertThat(download(first, 64)).isEqualTo(expected);
            assertThat(download(second, 64)).isEqualTo(expected);
            assertThat(fast.loop().thread().isAlive()).isTrue();
            assertThat(plain.loop().thread().isAlive()).isTrue();
        }
    }

    @Test
    void closing_ends_a_loop_that_sleeps_and_the_device_with_it() throws Exception {
        try (Namespace namespace = Namespace.create("c")) {
            LiveStack live = start(namespace, "sluice-t2", true);
            Thread thread = live.loop().thread();
            while (thread.getState() != Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            live.close();
            assertThat(thread.isAlive()).isFalse();
            assertThat(live.loop().failure()).isNull();
            assertThat(namespace.run("ip", "link")).doesNotContain("sluice-t2");
        }
    }

    @Test
    void a_device_that_is_removed_ends_the_loop_with_a_sentence() throws Exception {
        try (Namespace namespace = Namespace.create("d");
                LiveStack live = start(namespace, "sluice-t3", true)) {
            namespace.run("ip", "link", "delete", "sluice-t3");
            live.loop().join();
            assertThat(live.loop().failure())
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("sluice-t3 has been removed");
        }
    }

    @Test
    void nothing_is_allocated_for_a_segment() throws Exception {
        try (Namespace namespace = Namespace.create("e");
                LiveStack live = start(namespace, "sluice-t4", true)) {
            // Pools and tables grow to what the path needs.
            download(namespace, 512);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long id = live.loop().thread().threadId();
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 3 && least >= 100_000; i++) {
                long before = threads.getThreadAllocatedBytes(id);
                download(namespace, 512);
                least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
            }
            // 370,000 segments each time; what is left is what one more connection needs, and what
            // a
            // table needs that grows once.
            assertThat(least).isLessThan(100_000);
        }
    }

    @Test
    void a_device_that_is_not_there_or_is_no_tun_gives_the_remedy() throws Exception {
        try (Namespace namespace = Namespace.create("f")) {
            assertThatThrownBy(() -> TunDevice.open(TunSpec.attach("sluice-none", true)))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageStartingWith("there is no device sluice-none: make it with");
            assertThatThrownBy(() -> TunDevice.open(TunSpec.attach("lo", true)))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageStartingWith("lo cannot be used as a TUN device, since");
            LiveStack live = start(namespace, "sluice-t5", true);
            live.close();
        }
    }
}
