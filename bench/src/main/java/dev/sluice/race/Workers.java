package dev.sluice.race;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Starts {@link RaceWorker}s and adds what they saw to the tests. */
final class Workers {
    private static final String NORMAL = "NORMAL";

    private Workers() {}

    /** Runs each test for so long in JVMs of one kind: in one, unless a test breaks it. */
    static void run(List<RaceTest> tests, int millis, List<String> kind)
            throws IOException, InterruptedException {
        Deque<RaceTest> left = new ArrayDeque<>(tests);
        while (!left.isEmpty()) {
            int before = left.size();
            String said = runOnce(left, millis, kind);
            if (left.size() == before) {
                left.remove().fault("the JVM ended without a result: " + said);
            }
        }
    }

    /** Removes the tests that have a result. @return what the worker said besides */
    private static String runOnce(Deque<RaceTest> left, int millis, List<String> kind)
            throws IOException, InterruptedException {
        Process worker = start(left, millis, kind);
        StringBuilder said = new StringBuilder();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(worker.getInputStream(), StandardCharsets.UTF_8))) {
            RaceTest current = null;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", 3);
                switch (words[0]) {
                    case "test" -> {
                        current = left.remove();
                        if (!words[2].equals(NORMAL)) {
                            current.fault(words[2]);
                        }
                    }
                    case "count" -> current.count(words[2], Long.parseLong(words[1]));
                    case "note" -> current.fault(line.substring("note ".length()));
                    default -> said.append(line).append('\n');
                }
            }
        } finally {
            worker.destroy();
        }
        worker.waitFor();
        return said.toString().strip();
    }

    private static Process start(Deque<RaceTest> tests, int millis, List<String> kind)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // The barriers of G1 are fences, and would hide what the tests look for.
        command.add("-XX:+UseSerialGC");
        command.add("-Xmx256m");
        command.add("-ea");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(kind);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(RaceWorker.class.getName());
        command.add(Integer.toString(millis));
        tests.forEach(test -> command.add(test.name()));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
}
