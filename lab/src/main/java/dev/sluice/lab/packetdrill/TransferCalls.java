package dev.sluice.lab.packetdrill;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketFlags;
import dev.sluice.socket.SocketOption;
import dev.sluice.tcp.Readiness;
import dev.sluice.tcp.TcpState;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/** Calls that move data: read and write in all their forms, files, pipes, splice and sendfile. */
final class TransferCalls {
    private static final int EAGAIN = SocketError.EAGAIN.result();

    private static final int MSG_DONTWAIT = (int) Symbols.value("MSG_DONTWAIT");
    private static final int MSG_WAITALL = (int) Symbols.value("MSG_WAITALL");
    private static final int MSG_NOSIGNAL = (int) Symbols.value("MSG_NOSIGNAL");

    /** Flags the socket itself understands. */
    private static final int PASSED_ON =
            SocketFlags.MSG_OOB
                    | SocketFlags.MSG_PEEK
                    | SocketFlags.MSG_TRUNC
                    | SocketFlags.MSG_MORE
                    | SocketFlags.MSG_EOR;

    private static final int UNDERSTOOD =
            PASSED_ON | MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL | SocketFlags.MSG_FASTOPEN;

    private static final int WAKES_WRITER = Readiness.OUT | Readiness.ERR | Readiness.HUP;

    private static final int EINPROGRESS = SocketError.EINPROGRESS.result();

    private final DescriptorTable table;
    private final ScriptFlags flags;
    private final Map<String, Long> files = new HashMap<>();
    private byte[] buffer = new byte[1 << 16];

    TransferCalls(DescriptorTable table, ScriptFlags flags) {
        this.table = table;
        this.flags = flags;
    }

    void createFile(String path, long length) {
        files.put(path, length);
    }

    void removeFile(String path) {
        files.remove(path);
    }

    /** What a call transfers. */
    private record Request(boolean writes, boolean nullBuffer, int length, int flags) {}

    LongFunction<Subject.Outcome> transfer(
            Step.Call call, CallArguments arguments, Descriptor.Socket socket) {
        Request request = request(call, arguments);
        if (socket.listening != null) {
            int error =
                    request.writes() ? SocketError.EPIPE.result() : SocketError.ENOTCONN.result();
            return now -> Subject.Outcome.of(error);
        }
        int unknown = request.flags() & ~UNDERSTOOD;
        if (unknown != 0) {
            throw arguments.unsupported("message flags 0x" + Integer.toHexString(unknown));
        }
        if (request.length() > buffer.length) {
            buffer = new byte[request.length()];
        }
        boolean waits = !socket.nonBlocking && (request.flags() & MSG_DONTWAIT) == 0;
        boolean fast = (request.flags() & SocketFlags.MSG_FASTOPEN) != 0;
        if (request.writes() && (fast || socket.stream.isConnectDeferred())) {
            if (isUnspecified(call, arguments)) {
                return now -> Subject.Outcome.of(SocketError.EOPNOTSUPP.result());
            }
            return fastOpen(request, socket, waits);
        }
        if (request.writes()) {
            return write(request, socket, waits);
        }
        LongFunction<Subject.Outcome> read = read(request, socket, waits);
        boolean message = call.name().equals("recvmsg");
        return message && expectsUnread(arguments, false)
                ? now -> withUnread(arguments, socket, read.apply(now))
                : read;
    }

    /** The only control message is that of TCP_INQ. */
    private static boolean expectsUnread(CallArguments arguments, boolean writes) {
        return !writes
                && arguments.struct(1).member("msg_control") instanceof Expression.Array array
                && array.elements().size() == 1
                && arguments.struct(array.elements().getFirst()).member("cmsg_type")
                        instanceof Expression.Word type
                && type.name().equals("TCP_CM_INQ");
    }

    /** What a read with TCP_INQ tells beside its result. */
    private static Subject.Outcome withUnread(
            CallArguments arguments, Descriptor.Socket socket, Subject.Outcome outcome) {
        if (outcome.blocked() || outcome.result() < 0) {
            return outcome;
        }
        if (socket.stream.getOption(SocketOption.TCP_INQ) == 0) {
            return Subject.Outcome.of(outcome.result(), List.of("TCP_CM_INQ: not asked for"));
        }
        Expression.Array control =
                (Expression.Array) CallArguments.member(arguments.struct(1), "msg_control");
        Expression.Struct message = arguments.struct(control.elements().getFirst());
        long expected = Symbols.value(CallArguments.member(message, "cmsg_data"));
        int unread = socket.stream.unreadHint();
        return expected == unread
                ? outcome
                : Subject.Outcome.of(
                        outcome.result(),
                        List.of("TCP_CM_INQ: expected " + expected + ", got " + unread));
    }

    private Request request(Step.Call call, CallArguments arguments) {
        String name = call.name();
        boolean writes = name.startsWith("write") || name.startsWith("send");
        if (name.endsWith("msg")) {
            Expression.Struct message = arguments.struct(1);
            if (message.member("msg_control") != null && !expectsUnread(arguments, writes)) {
                throw arguments.unsupported("control messages");
            }
            int length = vectorLength(arguments, CallArguments.member(message, "msg_iov"));
            return new Request(writes, false, length, arguments.integerOr(2, 0));
        }
        if (name.equals("readv") || name.equals("writev")) {
            return new Request(writes, false, vectorLength(arguments, arguments.at(1)), 0);
        }
        if (name.equals("sendto")
                && !(arguments.at(4) instanceof Expression.Any)
                && !isUnspecified(call, arguments)) {
            throw arguments.unsupported("an address in a call");
        }
        int flags = name.equals("read") || name.equals("write") ? 0 : arguments.integer(3);
        long length = arguments.number(2);
        if (length < 0 || length > Integer.MAX_VALUE / 2) {
            throw arguments.unsupported("a length of " + length);
        }
        return new Request(writes, arguments.isNull(1), (int) length, flags);
    }

    /** {@code sendto} an address of the family AF_UNSPEC. */
    private static boolean isUnspecified(Step.Call call, CallArguments arguments) {
        return call.name().equals("sendto")
                && arguments.at(4) instanceof Expression.Word word
                && word.name().equals("AF_UNSPEC");
    }

    /**
     * A write that connects first: with MSG_FASTOPEN, or after a {@code connect} that left the SYN
     * to it. Blocking, it waits for the connection and then writes the rest.
     */
    private LongFunction<Subject.Outcome> fastOpen(
            Request request, Descriptor.Socket socket, boolean waits) {
        int[] sent = {-1};
        List<LongFunction<Subject.Outcome>> rest = new ArrayList<>(1);
        return now -> {
            if (sent[0] < 0) {
                boolean opens = isUnopened(socket);
                int length = request.nullBuffer() ? 0 : request.length();
                int result = send(now, request, socket, length);
                if (opens && request.nullBuffer() && request.length() > 0) {
                    return Subject.Outcome.of(SocketError.EFAULT.result());
                }
                if (!opens || !waits || result < 0 && result != EINPROGRESS) {
                    return Subject.Outcome.of(result);
                }
                sent[0] = Math.max(0, result);
                socket.stream.writerWaits(sent[0] < request.length());
                return Subject.Outcome.BLOCKED;
            }
            if (socket.stream.state() == TcpState.SYN_SENT
                    || socket.stream.state() == TcpState.SYN_RECEIVED) {
                return Subject.Outcome.BLOCKED;
            }
            int left = request.length() - sent[0];
            if (left == 0 && socket.stream.state() != TcpState.CLOSED) {
                return Subject.Outcome.of(sent[0]);
            }
            if (rest.isEmpty()) {
                rest.add(write(new Request(true, false, left, 0), socket, waits));
            }
            Subject.Outcome outcome = rest.getFirst().apply(now);
            return outcome.blocked() || outcome.result() < 0
                    ? outcome
                    : Subject.Outcome.of(outcome.result() + sent[0]);
        };
    }

    private static boolean isUnopened(Descriptor.Socket socket) {
        return socket.stream.isConnectDeferred() || socket.stream.connection() == null;
    }

    private int send(long now, Request request, Descriptor.Socket socket, int length) {
        if ((request.flags() & SocketFlags.MSG_FASTOPEN) == 0) {
            return socket.stream.write(now, buffer, 0, length, request.flags() & PASSED_ON);
        }
        return socket.stream.sendFastOpen(
                now,
                Addresses.remote(flags),
                flags.connectPort(),
                buffer,
                0,
                length,
                request.flags() & PASSED_ON);
    }

    private static int vectorLength(CallArguments arguments, Expression vector) {
        if (!(vector instanceof Expression.Array array)) {
            throw arguments.unsupported("'" + vector + "' as a vector");
        }
        long length = 0;
        for (Expression element : array.elements()) {
            List<Expression> members = arguments.struct(element).members();
            length += Symbols.value(members.getLast());
        }
        return (int) length;
    }

    private LongFunction<Subject.Outcome> write(
            Request request, Descriptor.Socket socket, boolean waits) {
        int[] done = new int[1];
        boolean[] waiting = new boolean[1];
        int flags = request.flags() & PASSED_ON;
        return now -> {
            // Whoever waits for space is woken when poll would say so, not by every byte of it.
            if (waiting[0] && (socket.stream.readySet() & WAKES_WRITER) == 0) {
                return Subject.Outcome.BLOCKED;
            }
            if (request.nullBuffer() && request.length() > 0) {
                int result = socket.stream.write(now, buffer, 0, 0, flags);
                boolean fine = result >= 0 || result == EAGAIN;
                return Subject.Outcome.of(fine ? SocketError.EFAULT.result() : result);
            }
            int rest = request.length() - done[0];
            int result = socket.stream.write(now, buffer, 0, rest, flags);
            if (result > 0) {
                done[0] += result;
            }
            boolean full = result == EAGAIN || result >= 0 && done[0] < request.length();
            if (waits && full) {
                waiting[0] = true;
                return Subject.Outcome.BLOCKED;
            }
            return Subject.Outcome.of(done[0] > 0 ? done[0] : result);
        };
    }

    private LongFunction<Subject.Outcome> read(
            Request request, Descriptor.Socket socket, boolean waits) {
        int[] done = new int[1];
        boolean peek = (request.flags() & SocketFlags.MSG_PEEK) != 0;
        boolean discard = (request.flags() & SocketFlags.MSG_TRUNC) != 0;
        int target = (request.flags() & MSG_WAITALL) != 0 && !peek ? request.length() : 1;
        return now -> {
            if (request.nullBuffer() && !discard && request.length() > 0) {
                int result = socket.stream.read(now, buffer, 0, 1, SocketFlags.MSG_PEEK);
                if (result > 0) {
                    return Subject.Outcome.of(SocketError.EFAULT.result());
                }
                return waits && result == EAGAIN
                        ? Subject.Outcome.BLOCKED
                        : Subject.Outcome.of(result);
            }
            int rest = request.length() - done[0];
            int result = socket.stream.read(now, buffer, 0, rest, request.flags() & PASSED_ON);
            if (result > 0) {
                done[0] += result;
            }
            boolean more = result == EAGAIN || result > 0 && done[0] < target;
            if (waits && more && (done[0] < target)) {
                return Subject.Outcome.BLOCKED;
            }
            return Subject.Outcome.of(done[0] > 0 ? done[0] : result);
        };
    }

    long open(Step.Call call, CallArguments arguments) {
        if (!(arguments.at(0) instanceof Expression.Text path)) {
            throw arguments.unsupported("opening '" + arguments.at(0) + "'");
        }
        Long length = files.get(path.value());
        return length == null
                ? -Errno.number("ENOENT", call.position())
                : table.add(new Descriptor.ZeroFile(length), call.result());
    }

    /** {@code pipe([a, b])}: the script names both ends. */
    long pipe(CallArguments arguments) {
        if (!(arguments.at(0) instanceof Expression.Array ends) || ends.elements().size() != 2) {
            throw arguments.unsupported("'" + arguments.at(0) + "' as two descriptors");
        }
        Descriptor.Pipe pipe = new Descriptor.Pipe();
        table.add(pipe, ends.elements().get(0));
        table.add(pipe, ends.elements().get(1));
        return 0;
    }

    /** {@code sendfile(out, in, [offset], count)}. */
    LongFunction<Subject.Outcome> sendfile(CallArguments arguments) {
        Descriptor out = table.get(arguments.integer(0));
        Descriptor in = table.get(arguments.integer(1));
        if (!(out instanceof Descriptor.Socket socket)
                || !(in instanceof Descriptor.ZeroFile file)) {
            throw arguments.unsupported("sendfile other than from file to socket");
        }
        long offset = arguments.isNull(2) ? file.position : arguments.pointed(2);
        int count = (int) Math.max(0, Math.min(arguments.number(3), file.length - offset));
        return write(new Request(true, false, count, 0), socket, !socket.nonBlocking);
    }

    /** {@code splice(in, NULL, out, NULL, count, flags)} between a socket and a pipe. */
    LongFunction<Subject.Outcome> splice(CallArguments arguments) {
        Descriptor in = table.get(arguments.integer(0));
        Descriptor out = table.get(arguments.integer(2));
        int count = arguments.integer(4);
        if (in instanceof Descriptor.Socket socket && out instanceof Descriptor.Pipe pipe) {
            int room = Math.min(count, Descriptor.Pipe.CAPACITY_BYTES - pipe.bytes);
            return now -> {
                if (socket.stream.isAtMark()) {
                    return Subject.Outcome.of(0); // splice does not pass over the urgent byte
                }
                Request request = new Request(false, false, room, 0);
                Subject.Outcome outcome = read(request, socket, !socket.nonBlocking).apply(now);
                pipe.bytes += outcome.blocked() ? 0 : (int) Math.max(0, outcome.result());
                return outcome;
            };
        }
        if (in instanceof Descriptor.Pipe pipe && out instanceof Descriptor.Socket socket) {
            int available = Math.min(count, pipe.bytes);
            return now -> {
                Request request = new Request(true, false, available, 0);
                Subject.Outcome outcome = write(request, socket, false).apply(now);
                pipe.bytes -= (int) Math.max(0, outcome.result());
                return outcome;
            };
        }
        throw arguments.unsupported("splice other than between a socket and a pipe");
    }
}
