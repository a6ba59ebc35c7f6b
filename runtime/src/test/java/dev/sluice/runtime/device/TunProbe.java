package dev.sluice.runtime.device;

import dev.sluice.wire.IpAddress;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Opens a TUN device in a process of its own, which may lack what this one has. */
final class TunProbe {
    private TunProbe() {}

    /** Prints how it went. Arguments: name, and a host address for one to be made. */
    public static void main(String[] arguments) {
        TunSpec spec =
                arguments.length == 1
                        ? TunSpec.attach(arguments[0], true)
                        : TunSpec.create(
                                arguments[0],
                                true,
                                IpAddress.parse(arguments[1]).address(),
                                64,
                                1500);
        try {
            TunDevice.open(spec).close();
            System.out.println("opened");
        } catch (DeviceException e) {
            System.out.println(e.getMessage());
        }
    }

    /** Runs it behind that command, and returns what it printed. */
    static String run(List<String> command, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(command);
        words.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        where(IpAddress.class)
                                + ":"
                                + where(TunDevice.class)
                                + ":"
                                + where(TunProbe.class),
                        TunProbe.class.getName()));
        words.addAll(List.of(arguments));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String text = text(process);
        process.waitFor();
        return text;
    }

    /** Runs any command, and returns what it printed. */
    static String text(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = text(process);
        process.waitFor();
        return text;
    }

    private static String text(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private static Path where(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
