package dev.sluice.verify.proof;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

/** An idle connection is small (architecture section 10), with the JVM options of the launcher. */
class IdleConnectionsTest {
    private static final int CONNECTIONS = 100_000;

    @Test
    void an_endpoint_of_100_000_idle_connections_takes_less_than_700_bytes_of_heap()
            throws Exception {
        List<String> lines =
                ChildJvm.run(
                        List.of("-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders", "-Xmx512m"),
                        IdleConnections.class,
                        Integer.toString(CONNECTIONS));
        long bytes = Long.parseLong(lines.getFirst());
        System.out.println(
                "idle connections: " + CONNECTIONS + ", heap per endpoint: " + bytes + " bytes");
        assertThat(bytes)
                .as("bytes of heap per endpoint, socket and tables included\n%s", rest(lines))
                .isBetween(100L, 699L);
    }

    private static String rest(List<String> lines) {
        return String.join("\n", lines.subList(1, lines.size()));
    }
}
