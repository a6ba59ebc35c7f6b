package dev.sluice.runtime.ffi;

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
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The event file is closed while another thread is about to write to it. */
@Row(
        shared = "ffi/EventFd",
        protocol = "signal against close",
        parties = "any → loop",
        ordering = "users and CLOSING in one word, changed by volatile read-modify-write")
public class EventFdClose {
    /** An open file. */
    @State
    public static class File {
        private static final VarHandle USERS =
                Handles.of(MethodHandles.lookup(), EventFd.class, "users", int.class);
        private static final int CLOSING_CLOSED = 1 << 30 | 1 << 29;

        final EventFd file;

        public File() {
            try {
                file = new EventFd();
            } catch (NativeException e) {
                throw new IllegalStateException(e);
            }
        }

        int isClosed() {
            return (int) USERS.getVolatile(file) == CLOSING_CLOSED ? 1 : 0;
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "closed")
    @Outcome(expect = FORBIDDEN, desc = "left open by both")
    public static class Fixed {
        @Actor
        public void signaller(File s) {
            s.file.signal();
        }

        @Actor
        public void loop(File s) {
            s.file.close();
        }

        @Arbiter
        public void result(File s, I_Result r) {
            r.r1 = s.isClosed();
        }
    }

    /** A file that is open or closed, and a flag that says so. */
    @State
    public static class Model {
        volatile boolean closing;
        volatile boolean closed;
    }

    /** Without the count of users. */
    @MustFail("the count of users")
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE_INTERESTING, desc = "written after it was closed")
    @Outcome(expect = ACCEPTABLE, desc = "written before, or not at all")
    public static class FlagOnly {
        @Actor
        public void signaller(Model s, I_Result r) {
            if (!s.closing) {
                r.r1 = s.closed ? 1 : 0;
            }
        }

        @Actor
        public void loop(Model s) {
            s.closing = true;
            s.closed = true;
        }
    }
}
