import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.spi.ToolProvider;

/**
 * Checks or rewrites the formatting of every Java source of the project with google-java-format in
 * its AOSP style. Run from the root of the project by Maven, as a single-file program on the
 * toolchain's JDK, with the formatter's jar on the class path.
 *
 * <p>The hashes of files already seen to be well formatted are kept in {@code target/format/clean},
 * so a second run reads the sources but formats only what changed.
 */
final class Format {
    private static final Path CLEAN = Path.of("target", "format", "clean");

    private Format() {}

    public static void main(String[] args) throws IOException {
        String action = args.length == 1 ? args[0] : "";
        switch (action) {
            case "check" -> System.exit(check(candidates()));
            case "write" -> System.exit(write(candidates()));
            default -> System.out.println("format: not checked (" + action + ")");
        }
    }

    /** Sources whose present content has not yet been seen to be well formatted. */
    private static List<Path> candidates() throws IOException {
        Set<String> clean = new HashSet<>();
        if (Files.exists(CLEAN)) {
            clean.addAll(Files.readAllLines(CLEAN));
        }
        List<Path> dirty = new ArrayList<>();
        for (Path source : sources()) {
            if (!clean.contains(hash(source))) {
                dirty.add(source);
            }
        }
        return dirty;
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(
                Path.of(""),
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) {
                        String name = directory.getFileName().toString();
                        return name.equals("target") || name.length() > 1 && name.startsWith(".")
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (file.toString().endsWith(".java")) {
                            sources.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        sources.sort(null);
        return sources;
    }

    private static int check(List<Path> dirty) throws IOException {
        if (!dirty.isEmpty()) {
            int status = format(dirty, "--dry-run", "--set-exit-if-changed");
            if (status != 0) {
                System.err.println(
                        "format: the files above are not in the project's format;"
                                + " './sluice format' rewrites them");
                return 1;
            }
        }
        remember();
        return 0;
    }

    /** Twice, as the formatter now and then wants to improve on its own result. */
    private static int write(List<Path> dirty) throws IOException {
        for (int pass = 0; pass < 2 && !dirty.isEmpty(); pass++) {
            if (format(dirty, "--replace") != 0) {
                return 1;
            }
        }
        return check(dirty);
    }

    private static int format(List<Path> files, String... options) {
        List<String> arguments = new ArrayList<>(List.of("--aosp"));
        arguments.addAll(List.of(options));
        for (Path file : files) {
            arguments.add(file.toString());
        }
        ToolProvider formatter = ToolProvider.findFirst("google-java-format").orElseThrow();
        PrintWriter err = new PrintWriter(System.err, true);
        return formatter.run(err, err, arguments.toArray(String[]::new));
    }

    /** Called when every source is known to be well formatted. */
    private static void remember() throws IOException {
        List<String> hashes = new ArrayList<>();
        for (Path source : sources()) {
            hashes.add(hash(source));
        }
        Files.createDirectories(CLEAN.getParent());
        Files.write(CLEAN, hashes);
    }

    private static String hash(Path file) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
