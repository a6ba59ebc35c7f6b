package dev.sluice.runtime.nio;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.Handles;
import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A channel is closed while another thread reads from it. */
@Row(
        shared = "nio/StackSocketChannel",
        protocol = "close against a blocked read",
        parties = "closing thread → blocked thread",
        ordering = "closed, then gate opened; gate shut, then closed looked at")
public class ChannelClose {
    /** A connection, on which nothing comes. */
    @State
    public static class Channel {
        final SocketChannel channel;
        final SocketChannel peer;
        final ByteBuffer buffer = ByteBuffer.allocate(1);

        public Channel() {
            try {
                SocketChannel[] ends = Channels.connected();
                channel = ends[0];
                peer = ends[1];
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        int block() {
            return Channels.end(() -> channel.read(buffer));
        }

        void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** As the class does it. A thread that stays blocked shows as a test that does not end. */
    @JCStressTest
    @Outcome(
            id = {"1", "2"},
            expect = ACCEPTABLE,
            desc = "told that the channel is closed")
    @Outcome(expect = FORBIDDEN, desc = "told something else")
    public static class Fixed {
        @Actor
        public void blocked(Channel s, I_Result r) {
            r.r1 = s.block();
        }

        @Actor
        public void closing(Channel s) {
            s.close();
        }

        @Arbiter
        public void end(Channel s, I_Result r) {
            try {
                s.peer.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** A gate that is open, and a channel too. Result: saw it open, and the gate in the end. */
    @State
    public static class Model {
        static final VarHandle GATE = Handles.of(MethodHandles.lookup(), "gate", int.class);
        static final VarHandle CLOSED = Handles.of(MethodHandles.lookup(), "closed", int.class);

        int gate = 1;
        int closed;
    }

    /** Opens the gate before the channel is closed. */
    @MustFail("the order of closing: opens the gate before the channel is closed")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "blocked for ever")
    @Outcome(expect = ACCEPTABLE, desc = "sees it closed, or looks again")
    public static class OpensGateFirst {
        @Actor
        public void blocked(Model s, II_Result r) {
            Model.GATE.setVolatile(s, 0);
            r.r1 = (int) Model.CLOSED.getVolatile(s) == 0 ? 1 : 0;
        }

        @Actor
        public void closing(Model s) {
            Model.GATE.setVolatile(s, 1);
            Model.CLOSED.setVolatile(s, 1);
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            r.r2 = s.gate;
        }
    }
}
