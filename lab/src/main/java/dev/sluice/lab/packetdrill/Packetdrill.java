package dev.sluice.lab.packetdrill;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Runs packetdrill scripts against our stack in virtual time. */
public final class Packetdrill {
    private static final String SUFFIX = ".pkt";

    private final Settings settings;

    public Packetdrill(Settings settings) {
        this.settings = settings;
    }

    /**
     * How to run scripts.
     *
     * @param flags what a script's own flags override
     * @param definitions {@code -D} definitions besides those of the public suites
     * @param strict 1 ms of tolerance whatever the script says
     */
    public record Settings(
            ScriptFlags flags,
            Map<String, String> definitions,
            Personality personality,
            boolean strict) {
        /** As the public suites are run over IPv4. */
        public static final Settings DEFAULT =
                new Settings(ScriptFlags.DEFAULT, Map.of(), Personality.LINUX, false);

        public Settings {
            definitions = Map.copyOf(definitions);
        }

        /** All definitions, with those that the runners of the public suites give. */
        Map<String, String> allDefinitions() {
            Map<String, String> all = new HashMap<>(personality.definitions());
            boolean ipv6 = flags.ipVersion() == ScriptFlags.IpVersion.IPV6;
            boolean ipv6Socket = flags.ipVersion() != ScriptFlags.IpVersion.IPV4;
            all.put("TFO_COOKIE", ipv6 ? "c1d1e9742a47a9bc" : "3021b9d889017eeb");
            all.put("CMSG_LEVEL_IP", ipv6Socket ? "SOL_IPV6" : "SOL_IP");
            all.put("CMSG_TYPE_RECVERR", ipv6Socket ? "IPV6_RECVERR" : "IP_RECVERR");
            if (!ipv6) {
                all.put("CODE", "host_unreachable");
            }
            all.putAll(definitions);
            return all;
        }
    }

    /** All scripts below a directory in order of their names, or the one file. */
    public static List<Path> scripts(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> files = Files.walk(path)) {
            return files.filter(f -> f.toString().endsWith(SUFFIX)).sorted().toList();
        }
    }

    /**
     * Runs a file, or all scripts below a directory.
     *
     * @param each told every result as it comes
     */
    public List<ScriptResult> runAll(Path path, Consumer<ScriptResult> each) throws IOException {
        List<ScriptResult> results = new ArrayList<>();
        boolean directory = Files.isDirectory(path);
        for (Path file : scripts(path)) {
            Path parent = directory ? path.relativize(file).getParent() : null;
            String area = parent == null ? "" : parent.toString();
            ScriptResult result = run(file.toString(), read(file)).in(area);
            results.add(result);
            each.accept(result);
        }
        return results;
    }

    /** Scripts are text in any superset of ASCII. */
    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    /** Runs one script given as text. */
    public ScriptResult run(String name, String text) {
        return run(name, text, flags -> new SluiceHost(flags, settings.personality()));
    }

    /**
     * Checks a script against a recording of another system that ran it: only packets and their
     * times are compared.
     *
     * @param capture a pcap or pcapng file of raw IP packets, as of a TUN device
     */
    public ScriptResult replay(Path file, Path capture) throws IOException {
        List<ScriptResult.CapturedPacket> packets = Captures.read(capture);
        return run(
                file.toString(),
                read(file),
                flags -> new RecordedHost(packets, Addresses.local(flags)));
    }

    ScriptResult run(String name, String text, Function<ScriptFlags, Subject> host) {
        try {
            Script script = ScriptParser.parse(name, text, settings.allDefinitions());
            ScriptFlags flags = settings.flags().with(script.options());
            if (settings.personality() == Personality.FREEBSD) {
                flags = flags.withoutWindows();
            }
            if (settings.strict()) {
                flags = flags.withTolerance(Tolerance.STRICT);
            }
            try (Subject subject = host.apply(flags)) {
                return ScriptRunner.run(new Source(name, text), script, flags, subject);
            }
        } catch (ScriptSyntaxException error) {
            return broken(name, Verdict.FAILED, error.position(), error.problem());
        } catch (UnsupportedScriptException error) {
            return broken(name, Verdict.UNSUPPORTED, error.position(), error.getMessage());
        }
    }

    private static ScriptResult broken(
            String name, Verdict verdict, Position position, String message) {
        return new ScriptResult(
                name, "", verdict, Optional.of(position), message, List.of(), 0, List.of());
    }
}
