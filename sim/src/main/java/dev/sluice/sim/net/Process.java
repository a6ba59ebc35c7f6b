package dev.sluice.sim.net;

import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.SocketSignals;

/** An {@link App} at work on a host: what its sockets signal and what its timer wakes. */
public final class Process implements SocketSignals {
    /** Event bit of the first call. */
    public static final int STARTED = 1 << 30;

    /** Event bit of a call because the time given to {@link #wakeAt} has come. */
    public static final int TIMER = 1 << 29;

    private final Host host;
    private final App app;
    private final int number;
    private long wakeTime = Long.MAX_VALUE;
    private int events;
    private boolean queued;
    private Process next;

    Process(Host host, App app, int number) {
        this.host = host;
        this.app = app;
        this.number = number;
    }

    public Host host() {
        return host;
    }

    /** A fresh socket of this host that signals this process. */
    public StreamSocket socket() {
        StreamSocket socket = new StreamSocket(host.stack());
        socket.signals(this);
        return socket;
    }

    /** Starts another program on the same host, now. */
    public Process spawn(App other) {
        return host.start(other, host.now());
    }

    @Override
    public void ready(long now, int signalled) {
        host.makeReady(this, signalled);
    }

    /** Runs again at {@code time}, or earlier if that was asked for before and has not happened. */
    public void wakeAt(long time) {
        if (time < wakeTime) {
            wakeTime = time;
            host.scheduleProcess(time, number);
        }
    }

    /** An event scheduled for this process is due; tells whether it is still wanted. */
    boolean timerDue(long now) {
        if (now != wakeTime) {
            return false;
        }
        wakeTime = Long.MAX_VALUE;
        return true;
    }

    /** Notes events; true if the process was not yet waiting to run. */
    boolean note(int signalled) {
        events |= signalled;
        boolean fresh = !queued;
        queued = true;
        return fresh;
    }

    void run(long now) {
        int noted = events;
        events = 0;
        queued = false;
        app.run(now, this, noted);
    }

    Process next() {
        return next;
    }

    void next(Process process) {
        next = process;
    }

    int number() {
        return number;
    }
}
