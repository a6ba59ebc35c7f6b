package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code sluice serve} against clients of the kernel, in a network namespace of its own. */
@Timeout(120)
class ServeTest {
    private static final String US = "10.98.6.2";

    private final String namespace = "sluice-serve-" + ProcessHandle.current().pid();
    private Process server;
    private BufferedReader printed;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/net/tun")), "needs /dev/net/tun");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(
                shell("command -v ip curl nc wrk ping").status() == 0,
                "needs iproute2, curl, netcat-openbsd, wrk and iputils-ping");
        assumeTrue(shell("ip netns add " + namespace).status() == 0, "needs namespaces");
        server =
                new ProcessBuilder(
                                inside(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-XX:+UseSerialGC",
                                        "--enable-native-access=ALL-UNNAMED",
                                        "-cp",
                                        classPath(),
                                        Sluice.class.getName(),
                                        "serve",
                                        "--tun",
                                        "tun7",
                                        "--host",
                                        "10.98.6.1/24",
                                        "--address",
                                        US,
                                        "--services",
                                        "discard,source,echo,http"))
                        .redirectErrorStream(true)
                        .start();
        printed = server.inputReader(StandardCharsets.UTF_8);
        assertThat(printed.readLine()).isEqualTo("ready");
    }

    /** Modules and libraries alike: in a test they may be on either path. */
    private static String classPath() {
        String modules = System.getProperty("jdk.module.path", "");
        return System.getProperty("java.class.path") + (modules.isEmpty() ? "" : ":" + modules);
    }

    @AfterEach
    void stop() throws Exception {
        try {
            if (server != null) {
                // Unlike destroy of the process, that of its handle leaves what it printed
                // readable.
                server.toHandle().destroy();
                assertThat(printed.lines().toList()).as("printed after ready").isEmpty();
                assertThat(server.waitFor(20, TimeUnit.SECONDS)).as("ends when asked").isTrue();
            }
        } finally {
            shell("ip netns delete " + namespace);
        }
    }

    private List<String> inside(String... command) {
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        words.addAll(List.of(command));
        return words;
    }

    private record Outcome(int status, String text) {}

    private static Outcome shell(String script) throws IOException, InterruptedException {
        return outcome(List.of("bash", "-c", script));
    }

    /** Runs a script inside the namespace; what it printed. */
    private String client(String script) throws IOException, InterruptedException {
        Outcome outcome = outcome(inside("timeout", "60", "bash", "-c", script));
        assertThat(outcome.status()).as(outcome.text()).isZero();
        return outcome.text();
    }

    private static Outcome outcome(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), text);
    }

    @Test
    void curl_gets_every_byte_twice_on_one_connection() throws Exception {
        String page = "http://" + US + "/";
        assertThat(client("curl -s -w '|%{http_code} %{num_connects}|' " + page + " " + page))
                .isEqualTo("a".repeat(3096) + "|200 1|" + "a".repeat(3096) + "|200 0|");
        assertThat(client("curl -s --http1.0 -w '%{http_code}' -o /dev/null " + page))
                .isEqualTo("200");
        assertThat(client("curl -sI " + page)).contains("Content-Length: 3096");
        assertThat(
                        client(
                                "head -c 3000000 /dev/zero | curl -s -H Expect: --data-binary @- "
                                        + "-w '|%{http_code} %{size_upload}' "
                                        + page
                                        + " | tail -c 12"))
                .isEqualTo("|200 3000000");
    }

    @Test
    void sixty_four_mebibytes_come_back_as_they_were_sent() throws Exception {
        String program =
                "import socket,threading,hashlib,os\n"
                        + "s=socket.create_connection(('"
                        + US
                        + "',7)); b=os.urandom(1<<20); n=64\n"
                        + "def send():\n"
                        + "  for i in range(n): s.sendall(b)\n"
                        + "  s.shutdown(socket.SHUT_WR)\n"
                        + "threading.Thread(target=send).start(); h=hashlib.sha256(); t=0\n"
                        + "while True:\n"
                        + "  d=s.recv(1<<18)\n"
                        + "  if not d: break\n"
                        + "  h.update(d); t+=len(d)\n"
                        + "print(t, h.hexdigest()==hashlib.sha256(b*n).hexdigest())";
        assertThat(client("python3 -c \"" + program + "\"")).isEqualTo("67108864 True\n");
    }

    @Test
    void netcat_closes_its_half_and_still_gets_the_rest() throws Exception {
        assertThat(client("printf 'hello\\nworld\\n' | nc -N " + US + " 7"))
                .isEqualTo("hello\nworld\n");
        assertThat(client("head -c 10000000 /dev/zero | nc -N " + US + " 9 | wc -c").strip())
                .isEqualTo("0");
    }

    @Test
    void a_hundred_and_twenty_eight_connections_see_no_error() throws Exception {
        String report = client("wrk -t1 -c128 -d4 --timeout 20 http://" + US + "/");
        assertThat(report).contains("requests in").doesNotContain("Socket errors", "Non-2xx");
    }

    @Test
    void it_answers_pings_and_refuses_other_ports() throws Exception {
        assertThat(client("ping -c 3 -i 0.2 " + US)).contains("3 received");
        assertThat(client("nc -z -w 2 " + US + " 81 || echo refused")).isEqualTo("refused\n");
    }
}
