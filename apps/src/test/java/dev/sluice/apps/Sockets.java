package dev.sluice.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Whose sockets a JVM has: options for it. */
final class Sockets {
    /** System property: the class of socket factories, for applications that take one. */
    private static final String FACTORY = "sluice.socketFactory";

    /** Those of the JDK, hence of the kernel. */
    static final List<String> KERNEL =
            List.of("-D" + FACTORY + "=" + ChannelSocketFactory.class.getName());

    private static final String PROVIDER = "dev.sluice.runtime.nio.StackSelectorProvider";

    private Sockets() {}

    /**
     * Ours.
     *
     * @param directory where the configuration is written
     * @param configuration its lines
     */
    static List<String> sluice(Path directory, String configuration) throws IOException {
        Path file = Files.createTempFile(directory, "sluice", ".properties");
        Files.writeString(file, configuration);
        return List.of(
                "-Djava.nio.channels.spi.SelectorProvider=" + PROVIDER,
                "-Ddev.sluice.config=" + file,
                "-D" + FACTORY + "=dev.sluice.runtime.nio.StackSocketFactory");
    }

    /** In a JVM with these options: the name of the class of socket factories. */
    static String factoryName() {
        return System.getProperty(FACTORY);
    }

    /** Two stacks of one JVM, 10.9.0.1 and 10.9.0.2, and a cable between them. */
    static List<String> cable(Path directory) throws IOException {
        return sluice(
                directory,
                """
                stack.server.device=cable:lan
                stack.server.address=10.9.0.1/24
                stack.client.device=cable:lan
                stack.client.address=10.9.0.2/24
                """);
    }
}
