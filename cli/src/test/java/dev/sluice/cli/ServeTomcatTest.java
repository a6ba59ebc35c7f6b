package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** {@code sluice serve} without a device: Tomcat on a cable, seen from the kernel's localhost. */
@Timeout(180)
class ServeTomcatTest {
    private static Process serve(String... options) throws Exception {
        String modules = System.getProperty("jdk.module.path", "");
        String classPath =
                System.getProperty("java.class.path") + (modules.isEmpty() ? "" : ":" + modules);
        ProcessBuilder builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath,
                        Sluice.class.getName(),
                        "serve");
        builder.command().addAll(java.util.List.of(options));
        return builder.redirectErrorStream(true).start();
    }

    @Test
    void a_page_comes_through_the_relay_from_a_tomcat_on_our_stack() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Process server = serve("--port", Integer.toString(port));
        try (BufferedReader printed = server.inputReader(StandardCharsets.UTF_8)) {
            URI page = URI.create("http://localhost:" + port + "/");
            assertThat(printed.readLine()).isEqualTo("serving " + page);
            assertThat(printed.readLine()).isEqualTo("ready");
            for (int i = 0; i < 3; i++) {
                HttpURLConnection connection = (HttpURLConnection) page.toURL().openConnection();
                assertThat(connection.getResponseCode()).isEqualTo(200);
                assertThat(connection.getInputStream().readAllBytes())
                        .asString(StandardCharsets.UTF_8)
                        .isEqualTo("a".repeat(3096));
            }
        } finally {
            server.destroy();
            server.waitFor();
        }
    }

    @Test
    void a_port_that_is_taken_is_said_in_a_sentence() throws Exception {
        try (ServerSocket taken =
                new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            Process server = serve("--port", Integer.toString(taken.getLocalPort()));
            String printed =
                    new String(server.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(printed)
                    .isEqualTo(
                            "sluice serve: port %d of localhost: Address already in use%n"
                                    .formatted(taken.getLocalPort()));
            assertThat(server.waitFor()).isEqualTo(2);
        }
    }

    @Test
    void services_without_a_device_are_refused() throws Exception {
        Process server = serve("--services", "echo");
        String printed = new String(server.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(printed).contains("services need a device: give --tun NAME and --address IP");
        assertThat(server.waitFor()).isEqualTo(2);
    }
}
