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
import java.nio.channels.ServerSocketChannel;

/** A listening channel is closed while another thread accepts. */
@Row(
        shared = "nio/StackServerSocketChannel",
        protocol = "close against a blocked accept",
        parties = "closing thread → blocked thread",
        ordering = "closed, then gate opened; gate shut, then closed looked at")
public class AcceptClose {
    /** A listener to which nobody connects. */
    @State
    public static class Channel {
        final ServerSocketChannel channel;

        public Channel() {
            try {
                channel = Channels.listening();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        int block() {
            return Channels.end(channel::accept);
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
    }

    /** A gate that is open, and a channel too. Result: saw it open, and the gate in the end. */
    @State
    public static class Model {
        static final VarHandle GATE = Handles.of(MethodHandles.lookup(), "gate", int.class);
        static final VarHandle CLOSED = Handles.of(MethodHandles.lookup(), "closed", int.class);

        int gate = 1;
        int closed;
    }

    /** Looks whether it is open before it shuts the gate. */
    @MustFail("the order of blocking: looks whether it is closed before the gate is shut")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "blocked for ever")
    @Outcome(expect = ACCEPTABLE, desc = "sees it closed, or looks again")
    public static class LooksFirst {
        @Actor
        public void blocked(Model s, II_Result r) {
            r.r1 = (int) Model.CLOSED.getVolatile(s) == 0 ? 1 : 0;
            Model.GATE.setVolatile(s, 0);
        }

        @Actor
        public void closing(Model s) {
            Model.CLOSED.setVolatile(s, 1);
            Model.GATE.setVolatile(s, 1);
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            r.r2 = s.gate;
        }
    }
}
