package dev.sluice.lab.packetdrill;

import dev.sluice.socket.SocketError;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** {@code poll} and epoll, with the semantics of Linux for level, edge and one-shot watches. */
final class PollCalls {
    private static final long MILLI = 1_000_000L;
    private static final int ALWAYS = (int) (Symbols.value("EPOLLERR") | Symbols.value("EPOLLHUP"));
    private static final int EDGE = (int) Symbols.value("EPOLLET");
    private static final int ONE_SHOT = (int) Symbols.value("EPOLLONESHOT");
    private static final int INVALID = (int) Symbols.value("POLLNVAL");

    /** Linux reports these together with the plain ones. */
    private static final int NORMAL_READ = (int) Symbols.value("POLLRDNORM");

    private static final int NORMAL_WRITE = (int) Symbols.value("POLLWRNORM");

    private final DescriptorTable table;
    private long deadline = Subject.NEVER;

    PollCalls(DescriptorTable table) {
        this.table = table;
    }

    /** When the call that waits gives up. */
    long deadline() {
        return deadline;
    }

    /** Lets a socket tell the epoll sets that watch it. */
    void attach(Descriptor.Socket socket) {
        if (socket.listening != null) {
            socket.listening.signals((now, events) -> raise(socket, events));
        } else {
            socket.stream.signals((now, events) -> raise(socket, events));
        }
    }

    private static void raise(Descriptor.Socket socket, int events) {
        for (Descriptor.EpollSet set : socket.watchers) {
            for (Descriptor.Watch watch : set.watches) {
                if (watch.socket == socket && (events & (watch.events | ALWAYS)) != 0) {
                    watch.raised = true;
                }
            }
        }
    }

    /** A closed descriptor leaves all sets. */
    void forget(int number, Descriptor descriptor) {
        if (descriptor instanceof Descriptor.Socket socket) {
            socket.watchers.forEach(
                    set -> set.watches.removeIf(watch -> watch.descriptor == number));
        }
    }

    private static int readySet(Descriptor.Socket socket) {
        int ready = socket.readySet();
        ready |= (ready & 1) != 0 ? NORMAL_READ : 0;
        return ready | ((ready & 4) != 0 ? NORMAL_WRITE : 0);
    }

    long create(Step.Call call) {
        return table.add(new Descriptor.EpollSet(), call.result());
    }

    /** {@code epoll_ctl(set, operation, descriptor, event)}. */
    long control(CallArguments arguments) {
        if (!(table.get(arguments.integer(0)) instanceof Descriptor.EpollSet set)) {
            return -9;
        }
        int number = arguments.integer(2);
        if (!(table.get(number) instanceof Descriptor.Socket socket)) {
            return -9;
        }
        Descriptor.Watch watch = find(set, number);
        long operation = arguments.number(1);
        if (operation == Symbols.value("EPOLL_CTL_DEL")) {
            set.watches.remove(watch);
            return watch == null ? -2 : 0;
        }
        boolean adds = operation == Symbols.value("EPOLL_CTL_ADD");
        if (adds != (watch == null)) {
            return adds ? -17 : -2;
        }
        if (adds) {
            watch = new Descriptor.Watch(number, socket);
            set.watches.add(watch);
            if (!socket.watchers.contains(set)) {
                socket.watchers.add(set);
            }
        }
        Expression.Struct event = arguments.struct(3);
        watch.events = (int) Symbols.value(CallArguments.member(event, "events"));
        watch.data = data(event, number);
        watch.disabled = false;
        watch.raised = (readySet(socket) & (watch.events | ALWAYS)) != 0;
        return 0;
    }

    private static Descriptor.Watch find(Descriptor.EpollSet set, int number) {
        for (Descriptor.Watch watch : set.watches) {
            if (watch.descriptor == number) {
                return watch;
            }
        }
        return null;
    }

    private static long data(Expression.Struct event, long otherwise) {
        for (String member : new String[] {"fd", "ptr", "u32", "u64"}) {
            Expression value = event.member(member);
            if (value != null) {
                return Symbols.value(value);
            }
        }
        return otherwise;
    }

    /** {@code epoll_wait(set, {events=…, fd=…}, limit, milliseconds)}. */
    LongFunction<Subject.Outcome> waitFor(long start, Step.Call call, CallArguments arguments) {
        if (!(table.get(arguments.integer(0)) instanceof Descriptor.EpollSet set)) {
            return now -> Subject.Outcome.of(-Errno.number("EBADF", call.position()));
        }
        int limit = arguments.integer(2);
        if (limit <= 0) {
            return now -> Subject.Outcome.of(SocketError.EINVAL.result());
        }
        long until = until(start, arguments.integer(3));
        return now -> {
            List<Descriptor.Watch> ready = new ArrayList<>();
            List<Integer> events = new ArrayList<>();
            collect(set, limit, ready, events);
            if (ready.isEmpty() && now < until) {
                deadline = until;
                return Subject.Outcome.BLOCKED;
            }
            deadline = Subject.NEVER;
            return Subject.Outcome.of(ready.size(), compare(call, arguments, ready, events));
        };
    }

    private static long until(long start, int millis) {
        return millis < 0 ? Subject.NEVER : start + millis * MILLI;
    }

    private static void collect(
            Descriptor.EpollSet set,
            int limit,
            List<Descriptor.Watch> ready,
            List<Integer> events) {
        for (Descriptor.Watch watch : set.watches) {
            boolean edge = (watch.events & EDGE) != 0;
            if (ready.size() == limit || watch.disabled || edge && !watch.raised) {
                continue;
            }
            int now = readySet(watch.socket) & (watch.events | ALWAYS);
            watch.raised = false;
            if (now == 0) {
                continue;
            }
            ready.add(watch);
            events.add(now);
            watch.disabled = (watch.events & ONE_SHOT) != 0;
        }
    }

    /** Scripts show the first event only. */
    private static List<String> compare(
            Step.Call call,
            CallArguments arguments,
            List<Descriptor.Watch> ready,
            List<Integer> events) {
        boolean shown = arguments.at(1) instanceof Expression.Struct;
        if (ready.isEmpty() || !shown || Symbols.value(call.result()) <= 0) {
            return List.of();
        }
        Expression.Struct wanted = arguments.struct(1);
        long wantedEvents = Symbols.value(CallArguments.member(wanted, "events"));
        long wantedData = data(wanted, ready.getFirst().data);
        List<String> differences = new ArrayList<>();
        if ((int) wantedEvents != events.getFirst()) {
            differences.add(
                    "events: expected 0x%x, got 0x%x".formatted(wantedEvents, events.getFirst()));
        }
        if (wantedData != ready.getFirst().data) {
            differences.add("data: expected " + wantedData + ", got " + ready.getFirst().data);
        }
        return differences;
    }

    /** {@code poll([{fd=…, events=…, revents=…}], count, milliseconds)}. */
    LongFunction<Subject.Outcome> poll(long start, Step.Call call, CallArguments arguments) {
        if (!(arguments.at(0) instanceof Expression.Array array)) {
            throw arguments.unsupported("'" + arguments.at(0) + "' as a set to poll");
        }
        long until = until(start, arguments.integer(2));
        return now -> {
            int ready = 0;
            List<String> differences = new ArrayList<>();
            for (Expression element : array.elements()) {
                int events = polled(arguments.struct(element));
                ready += events != 0 ? 1 : 0;
                Expression wanted = arguments.struct(element).member("revents");
                if (wanted != null && (int) Symbols.value(wanted) != events) {
                    differences.add("revents: expected %s, got 0x%x".formatted(wanted, events));
                }
            }
            if (ready == 0 && now < until) {
                deadline = until;
                return Subject.Outcome.BLOCKED;
            }
            deadline = Subject.NEVER;
            return Subject.Outcome.of(ready, differences);
        };
    }

    private int polled(Expression.Struct entry) {
        int number = (int) Symbols.value(CallArguments.member(entry, "fd"));
        int wanted = (int) Symbols.value(CallArguments.member(entry, "events"));
        if (number < 0) {
            return 0;
        }
        return table.get(number) instanceof Descriptor.Socket socket
                ? readySet(socket) & (wanted | ALWAYS)
                : INVALID;
    }
}
