package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.StackClosedException;
import dev.sluice.wire.IpAddress;

import java.util.List;

/** The stacks that the channels of one provider may use; the first is the default. */
final class Hosts {
    private final List<Host> all;

    Hosts(List<Host> all) {
        if (all.isEmpty()) {
            throw new IllegalArgumentException("no stack");
        }
        this.all = List.copyOf(all);
    }

    Host first() {
        return all.getFirst();
    }

    boolean isSingle() {
        return all.size() == 1;
    }

    /** The stack that has the address; the default one if none has, and for any and loopback. */
    Host toBind(IpAddress local) {
        if (isSingle() || local.isUnspecified() || local.isLoopback()) {
            return first();
        }
        Host owner = owner(local);
        return owner == null ? first() : owner;
    }

    /**
     * The stack to connect from: one that reaches the destination without a gateway, but is not the
     * destination itself; else the one that is; else the default.
     */
    Host toConnect(IpAddress remote) {
        if (isSingle() || remote.isUnspecified() || remote.isLoopback()) {
            return first();
        }
        for (Host host : all) {
            if (ask(host, () -> host.stack().isOnLink(remote) && !host.stack().isLocal(remote))) {
                return host;
            }
        }
        Host owner = owner(remote);
        return owner == null ? first() : owner;
    }

    private Host owner(IpAddress address) {
        for (Host host : all) {
            if (ask(host, () -> host.stack().isLocal(address))) {
                return host;
            }
        }
        return null;
    }

    private static boolean ask(Host host, java.util.function.BooleanSupplier question) {
        try {
            return host.loop().call(now -> question.getAsBoolean() ? 1 : 0) != 0;
        } catch (StackClosedException e) {
            return false;
        }
    }
}
