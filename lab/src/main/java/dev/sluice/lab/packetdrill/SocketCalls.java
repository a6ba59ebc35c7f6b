package dev.sluice.lab.packetdrill;

import dev.sluice.socket.ListenSocket;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketOption;
import dev.sluice.socket.StreamSocket;
import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.TcpState;
import dev.sluice.wire.IpAddress;

import java.util.List;
import java.util.function.LongFunction;

/**
 * The socket calls of scripts, one to one over {@link StreamSocket} and {@link ListenSocket}, which
 * never block; blocking is made here by trying again.
 */
final class SocketCalls {
    private static final long SECOND = 1_000_000_000L;

    private final NetworkStack stack;
    private final ScriptFlags flags;
    private final DescriptorTable table = new DescriptorTable();
    private final OptionCalls options;
    private final TransferCalls transfers;
    private final PollCalls polls = new PollCalls(table);

    private LongFunction<Subject.Outcome> pending;
    private long deadline = Subject.NEVER;

    SocketCalls(NetworkStack stack, ScriptFlags flags) {
        this.stack = stack;
        this.flags = flags;
        this.transfers = new TransferCalls(table, flags);
        this.options = new OptionCalls(flags.checksWindows());
    }

    DescriptorTable table() {
        return table;
    }

    TransferCalls transfers() {
        return transfers;
    }

    /** When a blocked call wants to be tried again although nothing happened. */
    long nextDeadline() {
        return pending == null ? Subject.NEVER : Math.min(deadline, polls.deadline());
    }

    Subject.Outcome call(long now, Step.Call call) {
        LongFunction<Subject.Outcome> attempt = prepare(now, call);
        Subject.Outcome outcome = attempt.apply(now);
        pending = outcome.blocked() ? attempt : null;
        deadline = outcome.blocked() ? deadline : Subject.NEVER;
        return outcome;
    }

    Subject.Outcome retry(long now) {
        Subject.Outcome outcome = pending.apply(now);
        if (!outcome.blocked()) {
            pending = null;
            deadline = Subject.NEVER;
        }
        return outcome;
    }

    private static LongFunction<Subject.Outcome> once(Subject.Outcome outcome) {
        return now -> outcome;
    }

    private static LongFunction<Subject.Outcome> once(long result) {
        return once(Subject.Outcome.of(result));
    }

    /** The call as something to be tried until it does not block. */
    private LongFunction<Subject.Outcome> prepare(long now, Step.Call call) {
        CallArguments arguments = new CallArguments(call);
        return switch (call.name()) {
            case "socket" -> once(socket(call, arguments));
            case "open" -> once(transfers.open(call, arguments));
            case "pipe" -> once(transfers.pipe(arguments));
            case "epoll_create", "epoll_create1" -> once(polls.create(call));
            case "epoll_ctl" -> once(polls.control(arguments));
            case "epoll_wait" -> polls.waitFor(now, call, arguments);
            case "poll" -> polls.poll(now, call, arguments);
            case "sendfile" -> transfers.sendfile(arguments);
            case "splice" -> transfers.splice(arguments);
            default -> onDescriptor(now, call, arguments);
        };
    }

    private LongFunction<Subject.Outcome> onDescriptor(
            long now, Step.Call call, CallArguments arguments) {
        Descriptor descriptor = table.get(arguments.integer(0));
        if (descriptor == null) {
            return once(-Errno.number("EBADF", call.position()));
        }
        if (call.name().equals("close")) {
            return close(now, arguments.integer(0));
        }
        if (!(descriptor instanceof Descriptor.Socket socket)) {
            throw arguments.unsupported(call.name() + " on other than a socket");
        }
        return switch (call.name()) {
            case "bind" -> once(bind(arguments, socket));
            case "listen" -> once(listen(arguments, socket));
            case "accept" -> accept(call, socket, false);
            case "accept4" ->
                    accept(
                            call,
                            socket,
                            (arguments.integerOr(3, 0) & Symbols.value("SOCK_NONBLOCK")) != 0);
            case "connect" -> connect(arguments, socket);
            case "read", "write", "recv", "send", "recvfrom", "sendto", "recvmsg", "sendmsg" ->
                    transfers.transfer(call, arguments, socket);
            case "readv", "writev" -> transfers.transfer(call, arguments, socket);
            case "shutdown" -> once(shutdown(now, arguments, socket));
            case "fcntl" -> once(fcntl(arguments, socket));
            case "ioctl" -> once(ioctl(arguments, socket));
            case "setsockopt" -> once(options.set(now, arguments, socket));
            case "getsockopt" -> once(options.get(arguments, socket));
            default -> throw arguments.unsupported("the call " + call.name());
        };
    }

    private long socket(Step.Call call, CallArguments arguments) {
        long type = arguments.number(1);
        long nonBlocking = Symbols.value("SOCK_NONBLOCK");
        long kind = type & ~nonBlocking & ~Symbols.value("SOCK_CLOEXEC");
        if (kind != Symbols.value("SOCK_STREAM")) {
            throw arguments.unsupported("sockets other than SOCK_STREAM");
        }
        if (arguments.number(2) != Symbols.value("IPPROTO_TCP") && arguments.number(2) != 0) {
            return -Errno.number("EPROTONOSUPPORT", call.position());
        }
        Descriptor.Socket socket =
                new Descriptor.Socket(new StreamSocket(stack), (type & nonBlocking) != 0);
        polls.attach(socket);
        return table.add(socket, call.result());
    }

    private void requireUnspecified(CallArguments arguments, int index) {
        if (index < arguments.count() && !(arguments.at(index) instanceof Expression.Any)) {
            throw arguments.unsupported("an address in a call");
        }
    }

    private long bind(CallArguments arguments, Descriptor.Socket socket) {
        requireUnspecified(arguments, 1);
        return socket.stream.bind(Addresses.local(flags), flags.bindPort());
    }

    private long listen(CallArguments arguments, Descriptor.Socket socket) {
        if (socket.listening != null) {
            return socket.listening.listen(arguments.integer(1));
        }
        ListenSocket listening = socket.stream.listen(arguments.integer(1));
        if (listening == null) {
            return SocketError.EINVAL.result();
        }
        socket.listening = listening;
        polls.attach(socket);
        return 0;
    }

    private LongFunction<Subject.Outcome> accept(
            Step.Call call, Descriptor.Socket socket, boolean nonBlocking) {
        if (socket.listening == null || socket.listening.isClosed()) {
            return once(SocketError.EINVAL.result());
        }
        return now -> {
            StreamSocket child = socket.listening.accept(now);
            if (child == null) {
                return socket.nonBlocking
                        ? Subject.Outcome.of(SocketError.EAGAIN.result())
                        : Subject.Outcome.BLOCKED;
            }
            Descriptor.Socket accepted = new Descriptor.Socket(child, nonBlocking);
            polls.attach(accepted);
            return Subject.Outcome.of(table.add(accepted, call.result()));
        };
    }

    private LongFunction<Subject.Outcome> connect(
            CallArguments arguments, Descriptor.Socket socket) {
        requireUnspecified(arguments, 1);
        if (socket.listening != null) {
            return once(SocketError.EISCONN.result());
        }
        IpAddress remote = Addresses.remote(flags);
        int inProgress = SocketError.EINPROGRESS.result();
        int already = SocketError.EALREADY.result();
        boolean[] begun = new boolean[1];
        return now -> {
            int result = socket.stream.connect(now, remote, flags.connectPort());
            boolean waits = result == inProgress || result == already;
            if (!socket.nonBlocking && (result == inProgress || begun[0] && waits)) {
                begun[0] = true;
                return Subject.Outcome.BLOCKED;
            }
            return Subject.Outcome.of(result);
        };
    }

    private LongFunction<Subject.Outcome> close(long start, int number) {
        Descriptor descriptor = table.remove(number);
        polls.forget(number, descriptor);
        if (!(descriptor instanceof Descriptor.Socket socket)) {
            return once(0);
        }
        if (socket.listening != null) {
            return once(socket.listening.close(start));
        }
        long linger = socket.stream.getOption(SocketOption.SO_LINGER);
        long result = socket.stream.close(start);
        return linger <= 0 ? once(result) : linger(socket.stream, start + linger * SECOND);
    }

    /** {@code close} with SO_LINGER waits until the peer has acknowledged everything (B-10.10). */
    private LongFunction<Subject.Outcome> linger(StreamSocket stream, long until) {
        return now -> {
            TcpState state = stream.state();
            boolean waits =
                    state == TcpState.FIN_WAIT_1
                            || state == TcpState.CLOSING
                            || state == TcpState.LAST_ACK;
            deadline = until;
            return waits && now < until ? Subject.Outcome.BLOCKED : Subject.Outcome.of(0);
        };
    }

    private long shutdown(long now, CallArguments arguments, Descriptor.Socket socket) {
        if (socket.listening != null) {
            return socket.listening.shutdown(now, arguments.integer(1));
        }
        return socket.stream.shutdown(now, arguments.integer(1));
    }

    private long fcntl(CallArguments arguments, Descriptor.Socket socket) {
        long command = arguments.number(1);
        long nonBlocking = Symbols.value("O_NONBLOCK");
        if (command == Symbols.value("F_GETFL")) {
            return Symbols.value("O_RDWR") | (socket.nonBlocking ? nonBlocking : 0);
        }
        if (command == Symbols.value("F_SETFL")) {
            socket.nonBlocking = (arguments.number(2) & nonBlocking) != 0;
            return 0;
        }
        throw arguments.unsupported("this command of fcntl");
    }

    private Subject.Outcome ioctl(CallArguments arguments, Descriptor.Socket socket) {
        boolean mark = arguments.number(1) == Symbols.value("SIOCATMARK");
        if (!mark && arguments.number(1) != Symbols.value("SIOCINQ")) {
            throw arguments.unsupported("this request of ioctl");
        }
        if (socket.listening != null) {
            return Subject.Outcome.of(SocketError.EINVAL.result());
        }
        long value = mark ? (socket.stream.isAtMark() ? 1 : 0) : socket.stream.unread();
        long expected = arguments.pointed(2);
        String name = mark ? "SIOCATMARK" : "SIOCINQ";
        return Subject.Outcome.of(
                0,
                expected == value
                        ? List.of()
                        : List.of(name + ": expected [" + expected + "], got [" + value + "]"));
    }
}
