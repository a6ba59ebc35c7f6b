package dev.sluice.apps;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JDBC driver and a real PostgreSQL, which has the sockets of the kernel. */
class PostgresTest {
    private static final String CLIENT = PgJdbcApp.class.getName();

    @TempDir Path directory;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void works_on_the_kernel() throws Exception {
        int port = freePort();
        List<String> use = List.of("use", CLIENT, "127.0.0.1", "127.0.0.1", Integer.toString(port));
        try (Postgres _ = Postgres.start(List.of(), "127.0.0.1", port);
                Jvm client = Jvm.start(List.of(), Sockets.KERNEL, use)) {
            client.finish();
        }
    }

    @Test
    void works_on_a_cable_through_a_relay() throws Exception {
        int port = freePort();
        List<String> options = new ArrayList<>(Sockets.cable(directory));
        options.add("-Dsluice.relay=" + port);
        List<String> both =
                List.of("both", RelayApp.class.getName(), "10.9.0.1", CLIENT, "10.9.0.2");
        try (Postgres _ = Postgres.start(List.of(), "127.0.0.1", port);
                Jvm jvm = Jvm.start(List.of(), options, both)) {
            jvm.finish();
        }
    }

    @Test
    void works_on_tun() throws Exception {
        List<String> use = List.of("use", CLIENT, TunNamespace.OURS, TunNamespace.KERNEL, "5432");
        try (TunNamespace namespace = TunNamespace.create();
                Postgres _ = Postgres.start(namespace.prefix(), TunNamespace.KERNEL, 5432);
                Jvm client = Jvm.start(namespace.prefix(), namespace.sluice(directory), use)) {
            client.finish();
        }
    }
}
