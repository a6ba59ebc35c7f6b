package dev.sluice.runtime;

import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.nio.Host;
import dev.sluice.runtime.nio.HostSource;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The stacks that the configuration file describes, for a provider of the whole JVM. */
public final class ConfiguredHosts implements HostSource {
    /** Peers that answer need milliseconds, and for others nobody waits longer. */
    private static final Duration AT_EXIT = Duration.ofSeconds(2);

    /** For {@link java.util.ServiceLoader}. */
    public ConfiguredHosts() {}

    @Override
    public List<Host> open() throws IOException {
        try {
            LiveStacks stacks = LiveConfig.find().open();
            stacks.finishWithJvm(AT_EXIT);
            return stacks.names().stream().map(name -> stacks.get(name).host()).toList();
        } catch (LiveConfigException | DeviceException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
