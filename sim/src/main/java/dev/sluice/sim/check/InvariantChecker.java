package dev.sluice.sim.check;

import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Topology;
import dev.sluice.sim.net.TurnObserver;

/** Asks every stack for its invariants whenever its host has come to rest. */
public final class InvariantChecker implements Checker, TurnObserver {
    private Topology network;

    /** A checker without a network. */
    public InvariantChecker() {}

    @Override
    public void install(Topology topology) {
        network = topology;
        for (Host host : topology.hosts()) {
            host.observe(this);
        }
    }

    @Override
    public void turnEnded(long now, Host host) {
        host.stack().checkInvariants();
    }

    @Override
    public void verify(long now) {
        for (Host host : network.hosts()) {
            if (!host.isDown()) {
                host.stack().checkInvariants();
            }
        }
    }
}
