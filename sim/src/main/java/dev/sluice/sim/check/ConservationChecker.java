package dev.sluice.sim.check;

import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Link;
import dev.sluice.sim.net.LinkCounts;
import dev.sluice.sim.net.Nic;
import dev.sluice.sim.net.Switch;
import dev.sluice.sim.net.Topology;
import dev.sluice.sim.net.TurnObserver;

/**
 * Packets are conserved: on every link, what entered and what was copied either arrived, was
 * dropped, or is still inside; and over the whole network, what the links delivered was received or
 * sent on.
 */
public final class ConservationChecker implements Checker, TurnObserver {
    /** It is looked at every so many turns, and whenever somebody asks. */
    private static final int TURNS = 128;

    private Topology network;
    private long turns;

    /** A checker without a network. */
    public ConservationChecker() {}

    @Override
    public void install(Topology topology) {
        network = topology;
        for (Host host : topology.hosts()) {
            host.observe(this);
        }
    }

    @Override
    public void turnEnded(long now, Host host) {
        if (++turns % TURNS == 0) {
            verify(now);
        }
    }

    @Override
    public void verify(long now) {
        long delivered = 0;
        long entered = 0;
        for (Link link : network.links()) {
            LinkCounts counts = link.counts();
            long in = counts.entered() + counts.duplicated();
            long out = counts.delivered() + counts.dropped() + link.packetsInside();
            if (in != out) {
                throw new CheckFailure(
                        now, "link " + link.name() + ": " + in + " packets in, " + out + " out");
            }
            delivered += counts.delivered();
            entered += counts.entered();
        }
        long received = 0;
        long sent = 0;
        for (Host host : network.hosts()) {
            for (Nic nic : host.nics()) {
                received += nic.packetsReceived();
                sent += nic.packetsSent();
            }
        }
        long unroutable = 0;
        for (Switch each : network.switches()) {
            unroutable += each.unroutable();
        }
        // Whatever a link delivered was received by a host, lost by a switch, or entered the next
        // link.
        if (delivered != received + unroutable + (entered - sent)) {
            throw new CheckFailure(
                    now,
                    "links delivered "
                            + delivered
                            + " packets, of which "
                            + received
                            + " were received, "
                            + unroutable
                            + " had no way to go and "
                            + (entered - sent)
                            + " were sent on");
        }
    }
}
