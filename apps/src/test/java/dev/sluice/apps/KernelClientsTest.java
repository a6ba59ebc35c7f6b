package dev.sluice.apps;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Programs of Linux against a Tomcat, and a Netty, whose TCP is ours, over TUN. */
class KernelClientsTest {
    private static final long GIBIBYTE = 1L << 30;

    @TempDir Path directory;

    private TunNamespace namespace;
    private Jvm server;

    @BeforeEach
    void makeNamespace() throws Exception {
        namespace = TunNamespace.create();
    }

    @AfterEach
    void removeNamespace() throws Exception {
        if (server != null) {
            server.close();
        }
        if (namespace != null) {
            namespace.close();
        }
    }

    /** Starts the server; where it is, in the form of {@code curl}. */
    private String start(Class<? extends Server> application) throws Exception {
        List<String> serve = List.of("serve", application.getName(), TunNamespace.OURS);
        server = Jvm.start(namespace.prefix(), namespace.sluice(directory), serve);
        return TunNamespace.OURS + ":" + server.line();
    }

    private void needs(String program) throws Exception {
        Assumptions.assumeTrue(
                new ProcessBuilder("sh", "-c", "command -v " + program)
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start()
                                .waitFor()
                        == 0,
                "needs " + program);
    }

    @Test
    void curl_gets_every_byte_twice_on_one_connection() throws Exception {
        needs("curl");
        String page = "http://" + start(TomcatApp.class) + "/page";
        assertThat(
                        namespace.run(
                                "curl -s -w '|%{http_code} %{num_connects}|' " + page + " " + page))
                .isEqualTo(Http.page() + "|200 1|" + Http.page() + "|200 0|");
        server.stop();
    }

    @Test
    void curl_downloads_a_gibibyte() throws Exception {
        needs("curl");
        String url = "http://" + start(TomcatApp.class) + "/bytes?" + GIBIBYTE;
        assertThat(namespace.run("curl -sS --fail '" + url + "' | sha256sum"))
                .isEqualTo(Content.expected(GIBIBYTE).split(" ")[1] + "  -\n");
        server.stop();
    }

    @Test
    void curl_uploads_a_gibibyte() throws Exception {
        needs("curl");
        Path file = directory.resolve("block");
        Files.write(file, Content.bytes(1 << 20));
        String url = "http://" + start(TomcatApp.class) + "/digest";
        String upload = "for i in $(seq 1024); do cat %s; done | curl -sS --fail -X POST -T - '%s'";
        assertThat(namespace.run(upload.formatted(file, url)))
                .isEqualTo(Content.expected(GIBIBYTE));
        server.stop();
    }

    @Test
    void wrk_has_no_errors_with_128_connections_for_ten_seconds() throws Exception {
        needs("wrk");
        String page = "http://" + start(TomcatApp.class) + "/page";
        // A cold JVM on a busy machine takes longer than wrk's own two seconds, the kernel's TCP or
        // ours; what is stuck is noticed all the same.
        assertThat(namespace.run("wrk -t 2 -c 128 -d 10s --timeout 8s " + page))
                .contains(" requests in ")
                .doesNotContain("Socket errors", "Non-2xx");
        server.stop();
    }

    @Test
    void netcat_closes_its_half_and_still_gets_the_rest() throws Exception {
        needs("nc");
        String address = start(NettyApp.class).replace(':', ' ');
        Path file = directory.resolve("sent");
        try (OutputStream out = Files.newOutputStream(file)) {
            Content.write(out, 32 << 20);
        }
        String echo = "nc -N " + address + " < " + file + " | sha256sum";
        assertThat(namespace.run(echo))
                .isEqualTo(Content.expected(32 << 20).split(" ")[1] + "  -\n");
        server.stop();
    }

    @Test
    void netcat_asks_a_tomcat_and_says_no_more() throws Exception {
        needs("nc");
        String address = start(TomcatApp.class).replace(':', ' ');
        String request = "GET /page HTTP/1.1\\r\\nHost: tomcat\\r\\nConnection: close\\r\\n\\r\\n";
        assertThat(namespace.run("printf '" + request + "' | nc -N " + address))
                .startsWith("HTTP/1.1 200")
                .contains(Http.page().substring(0, 100))
                .contains("\r\n0\r\n");
        server.stop();
    }
}
