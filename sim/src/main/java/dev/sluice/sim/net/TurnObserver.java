package dev.sluice.sim.net;

/** Told whenever a host has come to rest. */
public interface TurnObserver {
    /** The host handled everything it had at {@code now}: packets, timers, applications, output. */
    void turnEnded(long now, Host host);
}
