package dev.sluice.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The checkout that is being built: where its files are. */
public final class Checkout {
    private Checkout() {}

    /** The directory that holds the launcher. */
    public static Path root() {
        Path directory = Path.of(System.getProperty("sluice.root", "")).toAbsolutePath();
        while (!Files.isRegularFile(directory.resolve("sluice"))) {
            directory = directory.getParent();
            if (directory == null) {
                throw new IllegalStateException("not run inside a checkout of the sources");
            }
        }
        return directory;
    }

    /**
     * Source files with one of these endings, sorted; what builds and runs leave behind is left
     * out.
     */
    public static List<Path> files(String... endings) throws IOException {
        try (Stream<Path> files = Files.walk(root())) {
            return files.filter(f -> isSource(root().relativize(f)))
                    .filter(f -> Stream.of(endings).anyMatch(f.getFileName().toString()::endsWith))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }

    private static boolean isSource(Path file) {
        for (Path part : file) {
            String name = part.toString();
            if (name.equals("target") || name.equals("runs") || name.equals(".git")) {
                return false;
            }
        }
        return true;
    }
}
