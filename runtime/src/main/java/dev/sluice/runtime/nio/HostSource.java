package dev.sluice.runtime.nio;

import java.io.IOException;
import java.util.List;

/**
 * A seam: where a provider that nobody gives stacks to has them from. Found by {@link
 * java.util.ServiceLoader}, since what makes stacks is above this package.
 */
public interface HostSource {
    /**
     * Makes and starts stacks, which run until the JVM ends.
     *
     * @return at least one; the first is the default
     * @throws IOException saying what is wrong and what to do about it
     */
    List<Host> open() throws IOException;
}
