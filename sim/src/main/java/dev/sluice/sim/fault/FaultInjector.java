package dev.sluice.sim.fault;

import dev.sluice.sim.engine.EventHandler;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Topology;

import java.util.ArrayList;
import java.util.List;

/** Lets {@linkplain Fault faults} happen in a network when their time comes, and end. */
public final class FaultInjector implements EventHandler {
    private static final int BEGIN = 0;
    private static final int END = 1;

    private final Topology topology;
    private final Simulation simulation;
    private final int handler;
    private final List<Fault> faults = new ArrayList<>();

    public FaultInjector(Topology topology) {
        this.topology = topology;
        this.simulation = topology.simulation();
        this.handler = simulation.register(this);
    }

    /** Schedules a fault. */
    public void inject(Fault fault) {
        faults.add(fault);
        simulation.schedule(fault.atNanos(), Simulation.FAULT, handler, BEGIN, faults.size() - 1);
    }

    @Override
    public void handle(long now, int code, long argument) {
        Fault fault = faults.get((int) argument);
        boolean begins = code == BEGIN;
        long duration =
                switch (fault) {
                    case Fault.Partition partition -> partition(partition, now, begins);
                    case Fault.SizeBlackhole blackhole -> blackhole(blackhole, begins);
                    case Fault.PeerCrash crash -> crash(crash, begins);
                };
        if (begins && duration < Long.MAX_VALUE - now) {
            simulation.schedule(now + duration, Simulation.FAULT, handler, END, argument);
        }
    }

    private long partition(Fault.Partition fault, long now, boolean begins) {
        long until = begins ? Long.MAX_VALUE : now;
        topology.link(fault.from(), fault.to()).interrupt(fault.atNanos(), until);
        return fault.durationNanos();
    }

    private long blackhole(Fault.SizeBlackhole fault, boolean begins) {
        int passing = begins ? fault.passingBytes() : Integer.MAX_VALUE;
        topology.link(fault.from(), fault.to()).loseLargerThan(passing);
        return fault.durationNanos();
    }

    private long crash(Fault.PeerCrash fault, boolean begins) {
        for (Host host : topology.hosts()) {
            if (host.name().equals(fault.host())) {
                if (begins) {
                    host.crash();
                } else {
                    host.reboot();
                }
                return fault.durationNanos();
            }
        }
        throw new IllegalArgumentException("no host " + fault.host());
    }
}
