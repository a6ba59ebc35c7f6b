package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

/**
 * Forwards packets by their destination address, at once and unchanged. What takes time and what
 * gets lost is the matter of the links that leave it.
 */
public final class Switch implements LinkEnd {
    private final String name;
    private final PacketPool pool;
    private Link[] routes = {};
    private long unroutable;

    Switch(String name, PacketPool pool) {
        this.name = name;
        this.pool = pool;
    }

    public String name() {
        return name;
    }

    /** Packets dropped because no host has their destination address. */
    public long unroutable() {
        return unroutable;
    }

    /** Links by the number of the host at which packets are aimed. */
    void routes(Link[] linksByHost) {
        routes = linksByHost;
    }

    @Override
    public void packetArrived(long arrival, PacketBuffer packet) {
        int host = Topology.hostNumber(packet);
        if (host >= 0 && host < routes.length && routes[host] != null) {
            routes[host].offer(arrival, packet);
        } else {
            unroutable++;
            pool.release(packet);
        }
    }

    @Override
    public void batchComplete(long now) {}

    @Override
    public long holdNanos() {
        return 0;
    }
}
