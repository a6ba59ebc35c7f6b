package dev.sluice.verify.bad.tcp;

import dev.sluice.verify.bad.wire.Upward;

/** The other half of a cycle with {@code wire}. */
public final class TcpConnection {
    Upward upward;
}
