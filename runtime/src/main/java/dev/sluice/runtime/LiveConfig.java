package dev.sluice.runtime;

import dev.sluice.runtime.device.CableSpec;
import dev.sluice.runtime.device.DeviceException;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The one file that says which live stacks a program has: their devices, addresses and sysctls. Its
 * format is that of {@link java.util.Properties}; {@code docs/live.md} lists the keys.
 *
 * <p>Everything is checked while it is read, so that {@link #open} fails for reasons of the machine
 * only.
 */
public final class LiveConfig {
    /** System property that names the file. */
    public static final String PROPERTY = "dev.sluice.config";

    /** Variable of the environment that names the file where the property does not. */
    public static final String VARIABLE = "SLUICE_CONFIG";

    /** The file in the working directory that is read if neither names one. */
    public static final String FILE = "sluice.properties";

    private final List<StackPlan> stacks;
    private final Map<String, CableSpec> cables;

    LiveConfig(List<StackPlan> stacks, Map<String, CableSpec> cables) {
        this.stacks = stacks;
        this.cables = cables;
    }

    /**
     * Reads the file that {@value #PROPERTY} names, else the one that {@value #VARIABLE} names,
     * else {@value #FILE} in the working directory.
     *
     * @throws LiveConfigException if there is none, or something in it is wrong
     */
    public static LiveConfig find() throws LiveConfigException {
        return find(System::getProperty, System::getenv, Path.of(""));
    }

    static LiveConfig find(
            UnaryOperator<String> properties, UnaryOperator<String> environment, Path directory)
            throws LiveConfigException {
        String named = properties.apply(PROPERTY);
        String by = "the system property " + PROPERTY;
        if (named == null || named.isEmpty()) {
            named = environment.apply(VARIABLE);
            by = "the environment variable " + VARIABLE;
        }
        if (named != null && !named.isEmpty()) {
            Path file = directory.resolve(named);
            if (!Files.exists(file)) {
                throw new LiveConfigException(
                        "there is no file %s, which %s names".formatted(named, by));
            }
            return load(file);
        }
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            throw new LiveConfigException(
                    "there is no %s in the working directory: write one, or name another file with"
                                    .formatted(FILE)
                            + " -D%s=FILE or %s=FILE".formatted(PROPERTY, VARIABLE));
        }
        return load(file);
    }

    /** Reads that file, which is UTF-8. */
    public static LiveConfig load(Path file) throws LiveConfigException {
        try {
            return parse(file.toString(), Files.readString(file, StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            throw new LiveConfigException("there is no file " + file, e);
        } catch (CharacterCodingException e) {
            throw new LiveConfigException(file + " is not UTF-8", e);
        } catch (IOException e) {
            throw new LiveConfigException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Reads a configuration that is at hand as text.
     *
     * @param name what messages call it
     */
    public static LiveConfig parse(String name, String text) throws LiveConfigException {
        return new LiveConfigReader(PropertyFile.parse(name, text)).read();
    }

    /** Names of the stacks, in the order of the file; the first is the default. */
    public List<String> stackNames() {
        return stacks.stream().map(StackPlan::name).toList();
    }

    List<StackPlan> stacks() {
        return stacks;
    }

    Map<String, CableSpec> cables() {
        return cables;
    }

    /**
     * Makes the devices and the stacks, and starts them.
     *
     * @throws DeviceException if a device cannot be had; then none is left open
     */
    public LiveStacks open() throws DeviceException {
        return LiveStacks.open(this);
    }
}
