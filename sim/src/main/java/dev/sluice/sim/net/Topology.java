package dev.sluice.sim.net;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.BlockPool;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.seed.Rng;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.stack.NetworkStack;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.IpAddress;

import java.util.ArrayList;
import java.util.List;

/**
 * A network under construction and then at work: hosts, switches, links, and the memory they share.
 *
 * <p>Hosts are numbered from 1 and have the addresses {@code 10.0.x.y} and {@code fd00::n} of their
 * number. Switches know the way to every host; call {@link #route} when all links are in place.
 */
public final class Topology implements AutoCloseable {
    private static final int PREFIX = 10 << 24;
    private static final long PREFIX6 = 0xfd00L << 48;
    private static final int MAX_HOSTS = 65_535;

    private final Simulation simulation;
    private final PacketPool packets;
    private final BlockPool blocks;
    private final List<Host> hosts = new ArrayList<>();
    private final List<Switch> switches = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final List<Edge> edges = new ArrayList<>();

    /** One direction of a connection between two nodes, each a host or a switch. */
    private record Edge(Object from, Object to, Link link) {}

    /**
     * An empty network.
     *
     * @param memoryBytes how much memory packets, and how much stream buffers, may take off the
     *     heap
     */
    public Topology(Simulation simulation, long memoryBytes) {
        this.simulation = simulation;
        this.packets = new PacketPool(memoryBytes);
        this.blocks = new BlockPool(StackConfig.defaults().blockBytes, memoryBytes);
    }

    public Simulation simulation() {
        return simulation;
    }

    /** The pool all packets come from. */
    public PacketPool packets() {
        return packets;
    }

    public List<Host> hosts() {
        return List.copyOf(hosts);
    }

    public List<Link> links() {
        return List.copyOf(links);
    }

    public List<Switch> switches() {
        return List.copyOf(switches);
    }

    /** A host whose stack nobody observes. */
    public Host host(String name, StackConfig config) {
        return host(name, config, StackObserver.NONE);
    }

    /** A host; its randomness follows from the simulation's seed and its name. */
    public Host host(String name, StackConfig config, StackObserver observer) {
        int number = hosts.size() + 1;
        if (number > MAX_HOSTS) {
            throw new IllegalStateException("no addresses left");
        }
        Rng rng = simulation.rng("host " + name);
        int[] boots = {0};
        Host host =
                new Host(
                        name,
                        IpAddress.ipv4(PREFIX | number),
                        new IpAddress(PREFIX6, number),
                        simulation,
                        packets,
                        () ->
                                new NetworkStack(
                                        config,
                                        packets,
                                        blocks,
                                        rng.split("boot", boots[0]++),
                                        observer));
        hosts.add(host);
        return host;
    }

    /** A switch without links. */
    public Switch addSwitch(String name) {
        Switch made = new Switch(name, packets);
        switches.add(made);
        return made;
    }

    /** Connects two hosts; each gets a card of the kind given. */
    public void connect(
            Host a, NicSpec cardA, LinkSpec there, Host b, NicSpec cardB, LinkSpec back) {
        Nic nicA = a.addNic(cardA);
        Nic nicB = b.addNic(cardB);
        nicA.connect(link(a, b, a.name() + "-" + b.name(), there, nicB));
        nicB.connect(link(b, a, b.name() + "-" + a.name(), back, nicA));
    }

    /** Connects a host, which gets a card, to a switch. */
    public void connect(Host host, NicSpec card, LinkSpec there, Switch to, LinkSpec back) {
        Nic nic = host.addNic(card);
        nic.connect(link(host, to, host.name() + "-" + to.name(), there, to));
        link(to, host, to.name() + "-" + host.name(), back, nic);
    }

    /** Connects two switches. */
    public void connect(Switch a, LinkSpec there, Switch b, LinkSpec back) {
        link(a, b, a.name() + "-" + b.name(), there, b);
        link(b, a, b.name() + "-" + a.name(), back, a);
    }

    private Link link(Object from, Object to, String name, LinkSpec spec, LinkEnd end) {
        Link link = new Link(name, simulation, packets, spec);
        link.connect(end);
        links.add(link);
        edges.add(new Edge(from, to, link));
        return link;
    }

    /** The link from one node to another, by the names of both. */
    public Link link(String from, String to) {
        String name = from + "-" + to;
        for (Link link : links) {
            if (link.name().equals(name)) {
                return link;
            }
        }
        throw new IllegalArgumentException("no link " + name);
    }

    /** Teaches every switch the way with the fewest hops to every host. */
    public void route() {
        for (Switch each : switches) {
            Link[] routes = new Link[hosts.size() + 1];
            for (int number = 1; number <= hosts.size(); number++) {
                routes[number] = firstHop(each, hosts.get(number - 1));
            }
            each.routes(routes);
        }
    }

    /** Breadth first from the destination backwards, in order of construction. */
    private Link firstHop(Switch from, Host to) {
        List<Object> reached = new ArrayList<>();
        reached.add(to);
        for (int i = 0; i < reached.size(); i++) {
            Object node = reached.get(i);
            for (Edge edge : edges) {
                if (edge.to() != node) {
                    continue;
                }
                if (edge.from() == from) {
                    return edge.link();
                }
                if (edge.from() instanceof Switch && !reached.contains(edge.from())) {
                    reached.add(edge.from());
                }
            }
        }
        return null;
    }

    /** The number of the host a packet is addressed to, or -1 if none can have that address. */
    static int hostNumber(PacketBuffer packet) {
        switch (PacketView.version(packet)) {
            case 4:
                return packet.length() < PacketView.IPV4_HEADER
                                || PacketView.u16(packet, 16) != PREFIX >>> 16
                        ? -1
                        : PacketView.u16(packet, 18);
            case 6:
                return packet.length() < PacketView.IPV6_HEADER
                                || PacketView.i64(packet, 24) != PREFIX6
                        ? -1
                        : PacketView.u16(packet, 38);
            default:
                return -1;
        }
    }

    /** Gives all memory back; nothing of the network may be used afterwards. */
    @Override
    public void close() {
        packets.close();
        blocks.close();
    }
}
