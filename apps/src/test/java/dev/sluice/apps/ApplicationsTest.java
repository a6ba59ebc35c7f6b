package dev.sluice.apps;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.List;

/**
 * Unmodified applications. Each pair runs on the kernel's sockets as well: what passes there and
 * not on ours is our fault.
 */
class ApplicationsTest {
    private static final List<String> HERE = List.of();

    /** A server, and a client that checks what it answers. */
    enum Pair {
        TOMCAT_AND_JDK_HTTP_CLIENT(TomcatApp.class, JdkHttpApp.class),
        JETTY_AND_ITS_CLIENT(JettyApp.class, JettyApp.class),
        JDK_HTTP_SERVER_AND_CLIENT(JdkHttpApp.class, JdkHttpApp.class),
        UNDERTOW_AND_APACHE_HTTP_CLIENT(UndertowApp.class, ApacheHttpApp.class),
        TOMCAT_AND_OKHTTP(TomcatApp.class, OkHttpApp.class),
        NETTY(NettyApp.class, NettyApp.class),
        HAZELCAST(HazelcastApp.class, HazelcastApp.class),
        VIRTUAL_THREADS(VirtualThreadsApp.class, VirtualThreadsApp.class);

        private final String server;
        private final String client;

        Pair(Class<? extends Server> server, Class<? extends Client> client) {
            this.server = server.getName();
            this.client = client.getName();
        }
    }

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource
    void works_on_the_kernel(Pair pair) throws Exception {
        List<String> both = List.of("both", pair.server, "127.0.0.1", pair.client, "127.0.0.1");
        try (Jvm jvm = Jvm.start(HERE, Sockets.KERNEL, both)) {
            jvm.finish();
        }
    }

    @ParameterizedTest
    @EnumSource
    void works_on_a_cable(Pair pair) throws Exception {
        List<String> both = List.of("both", pair.server, "10.9.0.1", pair.client, "10.9.0.2");
        try (Jvm jvm = Jvm.start(HERE, Sockets.cable(directory), both)) {
            jvm.finish();
        }
    }

    @ParameterizedTest
    @EnumSource
    void serves_a_client_of_the_kernel_on_tun(Pair pair) throws Exception {
        try (TunNamespace namespace = TunNamespace.create()) {
            List<String> ours = namespace.sluice(directory);
            talk(namespace, pair, ours, TunNamespace.OURS, Sockets.KERNEL, TunNamespace.KERNEL);
        }
    }

    @ParameterizedTest
    @EnumSource
    void uses_a_server_of_the_kernel_on_tun(Pair pair) throws Exception {
        try (TunNamespace namespace = TunNamespace.create()) {
            List<String> ours = namespace.sluice(directory);
            talk(namespace, pair, Sockets.KERNEL, TunNamespace.KERNEL, ours, TunNamespace.OURS);
        }
    }

    private static void talk(
            TunNamespace namespace,
            Pair pair,
            List<String> serverSockets,
            String serverAddress,
            List<String> clientSockets,
            String clientAddress)
            throws Exception {
        List<String> serve = List.of("serve", pair.server, serverAddress);
        try (Jvm server = Jvm.start(namespace.prefix(), serverSockets, serve)) {
            String port = server.line();
            List<String> use = List.of("use", pair.client, clientAddress, serverAddress, port);
            try (Jvm client = Jvm.start(namespace.prefix(), clientSockets, use)) {
                client.finish();
            }
            server.stop();
        }
    }
}
