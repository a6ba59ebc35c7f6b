package dev.sluice.cli;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Samples which method is running, by the JVM's own recorder, from the moment it is made. */
final class SampleProfile implements AutoCloseable {
    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final String SAMPLE = "jdk.ExecutionSample";
    private static final int SHOWN = 20;

    private final Recording recording = new Recording();

    SampleProfile() {
        recording.enable(SAMPLE).withPeriod(PERIOD);
        recording.start();
    }

    /** Ends the recording: the methods found at work most often, one a line, with their share. */
    List<String> hottest() throws IOException {
        recording.stop();
        Path file = Files.createTempFile("sluice", ".jfr");
        try {
            recording.dump(file);
            return rank(RecordingFile.readAllEvents(file));
        } finally {
            Files.delete(file);
        }
    }

    private static List<String> rank(List<RecordedEvent> events) {
        Map<String, Integer> samples = new HashMap<>();
        int total = 0;
        for (RecordedEvent event : events) {
            boolean known =
                    event.getEventType().getName().equals(SAMPLE)
                            && event.getStackTrace() != null
                            && !event.getStackTrace().getFrames().isEmpty();
            if (known) {
                samples.merge(
                        name(event.getStackTrace().getFrames().getFirst().getMethod()),
                        1,
                        Integer::sum);
                total++;
            }
        }
        List<Map.Entry<String, Integer>> ranked = new ArrayList<>(samples.entrySet());
        ranked.sort(
                Map.Entry.<String, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()));
        List<String> lines = new ArrayList<>();
        for (var entry : ranked.subList(0, Math.min(SHOWN, ranked.size()))) {
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "%5.1f%% %s",
                            100.0 * entry.getValue() / total,
                            entry.getKey()));
        }
        return lines;
    }

    private static String name(RecordedMethod method) {
        String type = method.getType().getName();
        return type.substring(type.lastIndexOf('.') + 1) + "." + method.getName();
    }

    @Override
    public void close() {
        recording.close();
    }
}
