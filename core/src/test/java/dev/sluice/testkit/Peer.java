package dev.sluice.testkit;

import dev.sluice.socket.StreamSocket;
import dev.sluice.wire.SegmentNotation;
import dev.sluice.wire.SegmentOption;

import java.util.ArrayList;
import java.util.List;

/** One remote port that the test plays, and our socket for it: both origins of relative numbers. */
final class Peer {
    /** Just below the wrap, so that every longer exchange crosses it. */
    private static final int FIRST_ISS = -2000;

    final int port;
    int window;

    /** The peer's initial sequence number. */
    int iss = FIRST_ISS;

    /** Ours, from our first SYN on. */
    int localIss;

    boolean localIssKnown;

    /** Our first timestamp; relative ones count from it. */
    long timestampBase;

    boolean timestampKnown;

    StreamSocket socket;

    /** Stream offsets of the next byte written and read; the first byte is 1. */
    long written = 1;

    long read = 1;

    /** Events signalled and not yet asked for. */
    int events;

    Peer(int port, int window) {
        this.port = port;
        this.window = window;
    }

    /** The next connection of this port, at other numbers. */
    void renew(int newIss) {
        iss = newIss;
        localIssKnown = false;
        localIss = 0;
        timestampKnown = false;
        timestampBase = 0;
        socket = null;
        written = 1;
        read = 1;
        events = 0;
    }

    /** Timestamps of ours as counted from the first. */
    SegmentNotation.Segment relative(SegmentNotation.Segment s, boolean ours) {
        List<SegmentOption> options = new ArrayList<>();
        for (SegmentOption option : s.options()) {
            if (option instanceof SegmentOption.Timestamps(long val, long ecr)) {
                if (ours) {
                    options.add(new SegmentOption.Timestamps(minus(val, timestampBase), ecr));
                } else {
                    options.add(new SegmentOption.Timestamps(val, plus(ecr, timestampBase)));
                }
            } else {
                options.add(option);
            }
        }
        return new SegmentNotation.Segment(
                s.direction(),
                s.ip(),
                s.sourcePort(),
                s.destinationPort(),
                s.flags(),
                s.ace(),
                s.seq(),
                s.length(),
                s.ack(),
                s.window(),
                s.urgent(),
                options,
                s.anyOptions());
    }

    private static long minus(long a, long b) {
        return a - b & 0xffff_ffffL;
    }

    private static long plus(long a, long b) {
        return a + b & 0xffff_ffffL;
    }
}
