package dev.sluice.testkit;

import dev.sluice.memory.BlockPool;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.SyntheticContent;
import dev.sluice.memory.TransmitOwner;
import dev.sluice.memory.Truesize;
import dev.sluice.seed.Rng;
import dev.sluice.socket.ListenSocket;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketFlags;
import dev.sluice.socket.SocketOption;
import dev.sluice.socket.StreamSocket;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.TcpState;
import dev.sluice.trace.Counter;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.SegmentNotation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A connection test as an exchange of segments: the test plays the peer, a real stack plays us
 * (architecture section 17).
 *
 * <pre>
 * var tcp = TcpTest.established("mss 1000,sackOK", cwnd(10), rttMillis(20));
 * tcp.write(1000).expect("&gt; P. 1:1001(1000) ack 1");
 * tcp.at(20).receive("&lt; . 1:1(0) ack 1001 win 500").expectNothing();
 * </pre>
 *
 * <p>Segments are in {@link SegmentNotation}, numbers relative to the initial ones, timestamps of
 * ours relative to our first, windows as on the wire. {@code expect} demands these segments and no
 * others; what a line leaves out may be anything, and a line with more payload than one segment
 * carries stands for the run of segments that carry it. Times are milliseconds since the fixture
 * was ready. {@code at} runs the timers due before that time, whose output nobody expected; those
 * due at that time run with the next step. The device takes every packet at once and has sent it at
 * once. Payload is a function of its place in the stream and compared wherever it is seen; every
 * invariant is checked after every step. Use it in an {@link ExchangeTest}.
 */
public final class TcpTest {
    /** The port the peer talks from unless a segment says otherwise. */
    public static final int PEER_PORT = 40_000;

    private static final long MILLI = 1_000_000L;
    private static final long BEGINNING = 5_000_000_000_000L;
    private static final long FRAGMENTS_LIVE = 60_000 * MILLI;
    private static final int LAST_EVENTS = 40;
    private static final int MOST_REMEMBERED = 10_000;

    private final Setup.Choices choices;
    private final Wire wire;
    private final PacketPool packets = new PacketPool(64L << 20);
    private final BlockPool blocks;
    private final Truesize truesize;
    private final NetworkStack stack;
    private final Interface iface;
    private final TreeMap<Integer, Peer> peers = new TreeMap<>();
    private final List<Sent> unexpected = new ArrayList<>();
    private final List<Sent> everything = new ArrayList<>();
    private final List<PacketBuffer> inDevice = new ArrayList<>();
    private final List<String> journal = new ArrayList<>();
    private final List<StreamSocket> sockets = new ArrayList<>();
    private ListenSocket listener;
    private Peer peer;
    private int localPort = Wire.LOCAL_PORT;
    private long now = BEGINNING;
    private long origin = BEGINNING;

    private TcpTest(Setup... setups) {
        choices = new Setup.Choices(setups);
        wire = new Wire(choices.ipv6);
        var config = choices.config.build();
        blocks = new BlockPool(config.blockBytes, 16L << 20);
        truesize = Truesize.of(config.truesize);
        stack = new NetworkStack(config, packets, blocks, new Rng(1), StackObserver.NONE);
        iface = stack.addInterface("test0", choices.mtu);
        iface.addAddress(wire.local, wire.local.isIpv4() ? 24 : 64);
        iface.offloads(choices.tso, choices.tso);
        peer = peer(PEER_PORT);
        ExchangeExtension.began(this);
    }

    private Peer peer(int port) {
        return peers.computeIfAbsent(port, p -> new Peer(p, choices.window));
    }

    // ---- fixtures ----------------------------------------------------------------------------

    /** A listening socket; nobody has connected. */
    public static TcpTest listen(Setup... setups) {
        TcpTest test = new TcpTest(setups);
        StreamSocket socket = test.socket();
        socket.bind(test.wire.local, test.localPort);
        test.listener = socket.listen(test.choices.backlog);
        return test;
    }

    /** A socket that has begun to connect: the SYN is the first thing to expect. */
    public static TcpTest connect(Setup... setups) {
        TcpTest test = new TcpTest(setups);
        return test.connectAgain();
    }

    /**
     * An established connection at time 0, opened by the peer unless {@link Setup#active}.
     *
     * @param options of the peer's SYN, in segment notation without NOPs
     */
    public static TcpTest established(String options, Setup... setups) {
        TcpTest test = new Setup.Choices(setups).active ? connect(setups) : listen(setups);
        test.handshake(options);
        return test;
    }

    private StreamSocket socket() {
        StreamSocket socket = new StreamSocket(stack);
        for (Setup.OptionValue o : choices.options) {
            socket.setOption(now, o.option(), o.value());
        }
        return socket;
    }

    /** Begins to connect with a new socket to the peer of this port. */
    public TcpTest connectAgain() {
        requireSilence();
        StreamSocket socket = socket();
        int result = socket.connect(now, wire.remote, peer.port);
        if (result != SocketError.EINPROGRESS.result()) {
            throw failure("connect = " + result);
        }
        adopt(socket);
        localPort = socket.localPort();
        return step("connect()");
    }

    private void adopt(StreamSocket socket) {
        Peer owner = peer;
        owner.socket = socket;
        sockets.add(socket);
        socket.signals((when, events) -> owner.events |= events);
    }

    private void handshake(String options) {
        String listed = options.isEmpty() ? "" : " <" + options.replace(", ", ",") + ">";
        String stamps = options.contains("TS val") ? " <nop,nop,TS val %d ecr %d>" : "";
        if (choices.active) {
            discard();
            advanceTo(now + choices.rttMillis * MILLI, true);
            receive("< S. 0:0(0) ack 1" + listed);
        } else {
            receive("< S 0:0(0)" + listed);
            discard();
            advanceTo(now + choices.rttMillis * MILLI, true);
            receive("< . 1:1(0) ack 1" + stamps.formatted(valueOf(options) + choices.rttMillis, 0));
            accept();
        }
        discard();
        if (peer.socket.state() != TcpState.ESTABLISHED) {
            throw failure("the handshake failed");
        }
        journal.clear();
        everything.clear();
        peer.events = 0;
        origin = now;
    }

    private static int valueOf(String options) {
        if (!options.contains("TS val")) {
            return 0;
        }
        return Integer.parseInt(options.replaceFirst(".*TS val (\\d+).*", "$1"));
    }

    // ---- time --------------------------------------------------------------------------------

    /** Goes to that millisecond; nothing may be sent before it. */
    public TcpTest at(double millis) {
        requireSilence();
        advanceTo(origin + Math.round(millis * MILLI), false);
        return this;
    }

    /** Goes on by that many milliseconds; nothing may be sent before. */
    public TcpTest after(double millis) {
        requireSilence();
        advanceTo(now + Math.round(millis * MILLI), false);
        return this;
    }

    /** Goes on by that many milliseconds; whatever is sent meanwhile is of no interest. */
    public TcpTest skip(double millis) {
        advanceTo(now + Math.round(millis * MILLI), true);
        turn();
        unexpected.clear();
        return this;
    }

    /** Milliseconds since the fixture was ready. */
    public double millis() {
        return (now - origin) / (double) MILLI;
    }

    /** Goes to the first output, which must come between these milliseconds. */
    public TcpTest firstOutputBetween(double fromMillis, double toMillis) {
        at(fromMillis);
        long limit = origin + Math.round(toMillis * MILLI);
        turn();
        while (unexpected.isEmpty() && stack.nextDeadline() <= limit) {
            now = Math.max(now, stack.nextDeadline());
            turn();
        }
        if (unexpected.isEmpty()) {
            throw failure("expected output until %.3f ms".formatted(toMillis));
        }
        return this;
    }

    /** Goes to the first output, or on by that many milliseconds if there is none. */
    public TcpTest firstOutputOrNothing(double millis) {
        long limit = now + Math.round(millis * MILLI);
        turn();
        while (unexpected.isEmpty() && stack.nextDeadline() <= limit) {
            now = Math.max(now, stack.nextDeadline());
            turn();
        }
        if (unexpected.isEmpty()) {
            now = limit;
        }
        return this;
    }

    private void advanceTo(long target, boolean discarding) {
        if (target < now) {
            throw new IllegalArgumentException("time does not go back to " + target);
        }
        int idle = 0;
        while (stack.nextDeadline() < target) {
            long due = stack.nextDeadline();
            idle = due <= now ? idle + 1 : 0;
            if (idle > 100) {
                throw failure("the next deadline stays in the past");
            }
            now = Math.max(now, due);
            turn();
            if (discarding) {
                unexpected.clear();
            }
            requireSilence();
        }
        now = target;
    }

    // ---- the peer ----------------------------------------------------------------------------

    /** A segment of the peer's arrives. Without {@code win} it has the peer's usual window. */
    public TcpTest receive(String text) {
        requireSilence();
        return receiveBytes(packet(text), text);
    }

    /** The packet that {@link #receive} would deliver. */
    public byte[] packet(String text) {
        SegmentNotation.Segment s = parse(text);
        if (s.direction() == '>') {
            throw new IllegalArgumentException("\"" + text + "\": what we receive begins with <");
        }
        return wire.encode(s, selected(s), localPort, false);
    }

    private Peer selected(SegmentNotation.Segment s) {
        if (s.sourcePort() >= 0) {
            peer = peer(s.sourcePort());
        }
        return peer;
    }

    private SegmentNotation.Segment parse(String text) {
        SegmentNotation.Segment s = Notation.parse(text);
        if (s.window() >= 0) {
            return s;
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
                choices.window,
                s.urgent(),
                s.options(),
                s.anyOptions());
    }

    /** Any packet arrives, IP header first. */
    public TcpTest receiveBytes(byte[] packet, String shown) {
        PacketBuffer buffer = Wire.buffer(packets, packet, 0);
        buffer.truesize(truesize.received(packet.length, 1, buffer.capacity()));
        buffer.timeNanos(now);
        stack.deliver(now, iface, buffer);
        return step(shown);
    }

    /**
     * An ICMP message about a segment of ours arrives.
     *
     * @param rest bytes 4 to 7: an MTU, or 0
     * @param about a segment that we sent, in the notation
     */
    public TcpTest receiveIcmp(int type, int code, int rest, String about) {
        requireSilence();
        SegmentNotation.Segment s = parse(about);
        byte[] quoted = wire.encode(s, selected(s), localPort, true);
        byte[] body = wire.local.isIpv4() ? Arrays.copyOf(quoted, 28) : quoted;
        String shown = "< icmp %d.%d %d about %s".formatted(type, code, rest, about);
        return receiveBytes(wire.icmp(type, code, rest, body), shown);
    }

    /** An ICMP message with any body. */
    public byte[] icmpPacket(int type, int code, int rest, byte[] body) {
        return wire.icmp(type, code, rest, body);
    }

    /** A UDP datagram for a port of ours. */
    public byte[] udpPacket(int port, int payload) {
        return wire.udp(port, payload);
    }

    /** The steps that follow are about the connection of this port of the peer's. */
    public TcpTest peerAt(int port) {
        requireSilence();
        peer = peer(port);
        return this;
    }

    /** The peer's port begins a new connection, with another initial sequence number. */
    public TcpTest newIncarnation(int iss) {
        requireSilence();
        peer.renew(iss);
        return this;
    }

    // ---- what we send ------------------------------------------------------------------------

    /** Exactly these segments have been sent since the last expectation, in this order. */
    public TcpTest expect(String... segments) {
        turn();
        List<Expectation> wanted = Arrays.stream(segments).map(Expectation::new).toList();
        List<Sent> sent = Run.joined(wanted, unexpected);
        boolean same = wanted.size() == sent.size();
        for (int i = 0; same && i < wanted.size(); i++) {
            same = wanted.get(i).matches(sent.get(i));
        }
        if (!same) {
            throw failure("expected\n" + lines(wanted) + "but was\n" + lines(unexpected));
        }
        unexpected.clear();
        return this;
    }

    /** Nothing has been sent since the last expectation. */
    public TcpTest expectNothing() {
        return expect();
    }

    /** Takes what has been sent, whatever it is. */
    public List<Sent> take() {
        turn();
        List<Sent> taken = List.copyOf(unexpected);
        unexpected.clear();
        return taken;
    }

    /** Whatever has been sent is of no interest. */
    public TcpTest discard() {
        take();
        return this;
    }

    /** Everything sent since the fixture was ready, expected or not, up to 10,000 packets. */
    public List<Sent> everythingSent() {
        return List.copyOf(everything);
    }

    private void requireSilence() {
        if (!unexpected.isEmpty()) {
            throw failure("nobody expected\n" + lines(unexpected));
        }
    }

    private static String lines(List<?> segments) {
        if (segments.isEmpty()) {
            return "    (nothing)\n";
        }
        return segments.stream().map(s -> "    " + s + "\n").collect(Collectors.joining());
    }

    // ---- our application ---------------------------------------------------------------------

    /** The socket of the steps that follow. */
    public StreamSocket connection() {
        if (peer.socket == null) {
            throw failure("no socket has been accepted or connected");
        }
        return peer.socket;
    }

    /** Accepts the connection that waits. */
    public TcpTest accept() {
        StreamSocket accepted = tryAccept();
        if (accepted == null) {
            throw failure("accept: nobody waits");
        }
        return step("accept()");
    }

    /** Accepts for the current peer; null if nobody waits. */
    public StreamSocket tryAccept() {
        StreamSocket accepted = listener.accept(now);
        if (accepted != null) {
            adopt(accepted);
        }
        return accepted;
    }

    /** The listening socket. */
    public ListenSocket listener() {
        return listener;
    }

    /** Writes the next bytes of the stream, all of which must be taken. */
    public TcpTest write(int bytes) {
        return write(bytes, 0);
    }

    /** Writes with flags of {@link SocketFlags}; all must be taken. */
    public TcpTest write(int bytes, int flags) {
        requireSilence();
        int result = tryWrite(bytes, flags);
        if (result != bytes) {
            throw failure("write(%d) = %d".formatted(bytes, result));
        }
        return this;
    }

    /** Writes what is taken of that many bytes. */
    public int tryWrite(int bytes) {
        return tryWrite(bytes, 0);
    }

    private int tryWrite(int bytes, int flags) {
        byte[] data = new byte[bytes];
        SyntheticContent.fill(data, 0, peer.written, bytes);
        int result = connection().write(now, data, 0, bytes, flags);
        peer.written += Math.max(0, result);
        step("write(%d) = %d".formatted(bytes, result));
        return result;
    }

    /** A write fails. */
    public TcpTest writeFails(SocketError error) {
        return failed("write", tryWrite(100), error);
    }

    /** Reads that many bytes, which must be there and be the right ones. */
    public TcpTest read(int bytes) {
        requireSilence();
        int result = tryRead(bytes);
        if (result != bytes) {
            throw failure("read(%d) = %d".formatted(bytes, result));
        }
        return this;
    }

    /** Reads up to that many bytes; what is read must be the right bytes. */
    public int tryRead(int bytes) {
        byte[] data = new byte[bytes];
        int result = connection().read(now, data, 0, bytes, 0);
        for (int i = 0; i < result; i++) {
            if (data[i] != SyntheticContent.byteAt(peer.read + i)) {
                throw failure("byte %d of the stream was read wrong".formatted(peer.read + i));
            }
        }
        peer.read += Math.max(0, result);
        step("read(%d) = %d".formatted(bytes, result));
        return result;
    }

    /** The stream has ended. */
    public TcpTest readEnds() {
        requireSilence();
        int result = tryRead(100);
        if (result != 0) {
            throw failure("expected the end of the stream, but read = " + result);
        }
        return this;
    }

    /** A read fails. */
    public TcpTest readFails(SocketError error) {
        return failed("read", tryRead(100), error);
    }

    private TcpTest failed(String call, int result, SocketError error) {
        if (result != error.result()) {
            throw failure("%s: expected %s but was %d".formatted(call, error, result));
        }
        return this;
    }

    /** SO_ERROR is that, and is cleared by this; null for none. */
    public TcpTest hasError(SocketError error) {
        int result = connection().takeError();
        int expected = error == null ? 0 : error.result();
        if (result != expected) {
            throw failure("SO_ERROR: expected %s but was %d".formatted(error, result));
        }
        return this;
    }

    public TcpTest close() {
        requireSilence();
        connection().close(now);
        return step("close()");
    }

    public TcpTest abort() {
        requireSilence();
        connection().abort(now);
        return step("abort()");
    }

    /** Half-closes our side. */
    public TcpTest shutdownOutput() {
        requireSilence();
        connection().shutdown(now, SocketFlags.SHUT_WR);
        return step("shutdown(SHUT_WR)");
    }

    public TcpTest shutdownInput() {
        requireSilence();
        connection().shutdown(now, SocketFlags.SHUT_RD);
        return step("shutdown(SHUT_RD)");
    }

    public TcpTest closeListener() {
        requireSilence();
        listener.close(now);
        return step("close(listener)");
    }

    public TcpTest set(SocketOption option, long value) {
        requireSilence();
        int result = connection().setOption(now, option, value);
        if (result != 0) {
            throw failure("setsockopt(%s, %d) = %d".formatted(option, value, result));
        }
        return step("setsockopt(%s, %d)".formatted(option, value));
    }

    // ---- what is true ------------------------------------------------------------------------

    public InfoAssert info() {
        return new InfoAssert(this, connection().info(now));
    }

    public TcpTest hasState(TcpState state) {
        TcpState actual = connection().state();
        if (actual != state) {
            throw failure("expected state %s but was %s".formatted(state, actual));
        }
        return this;
    }

    /** The ready set, EPOLL* bits. */
    public int readySet() {
        return connection().readySet();
    }

    /** The events signalled since this was last asked. */
    public int takeEvents() {
        int events = peer.events;
        peer.events = 0;
        return events;
    }

    public TcpTest hasCounted(Counter counter, long expected) {
        long actual = counted(counter);
        if (actual != expected) {
            throw failure(
                    "%s: expected %d but was %d".formatted(counter.nstatName(), expected, actual));
        }
        return this;
    }

    public long counted(Counter counter) {
        return stack.counters().get(counter);
    }

    /** The stack itself. */
    public NetworkStack stack() {
        return stack;
    }

    /** Virtual time, in nanoseconds. */
    public long now() {
        return now;
    }

    /** What is to be thrown: the message, the time and the last events. */
    public AssertionError failure(String message) {
        int from = Math.max(0, journal.size() - LAST_EVENTS);
        String events = String.join("\n", journal.subList(from, journal.size()));
        return new AssertionError(
                "at %.3f ms: %s\nthe last events:\n%s".formatted(millis(), message, events));
    }

    // ---- the driver's turn -------------------------------------------------------------------

    private TcpTest step(String event) {
        log(event);
        turn();
        return this;
    }

    private void log(String event) {
        if (journal.size() > 100 * LAST_EVENTS) {
            journal.subList(0, journal.size() - LAST_EVENTS).clear();
        }
        journal.add("%12.3f  %s".formatted(millis(), event));
    }

    private void turn() {
        stack.advance(now);
        boolean again;
        int rounds = 0;
        do {
            again = stack.signal(now);
            stack.flush(now, this::transmit);
            again |= complete();
            if (++rounds > 1000) {
                throw failure("the stack does not come to rest");
            }
        } while (again);
        stack.checkInvariants();
    }

    private boolean transmit(long when, Interface via, PacketBuffer packet) {
        inDevice.add(packet);
        return true;
    }

    /** The device has sent all it was given. */
    private boolean complete() {
        if (inDevice.isEmpty()) {
            return false;
        }
        for (PacketBuffer packet : inDevice) {
            Sent sent;
            try {
                sent = wire.decode(packet, this::peer);
            } catch (IllegalStateException wrong) {
                throw failure(wrong.getMessage());
            }
            unexpected.add(sent);
            if (everything.size() < MOST_REMEMBERED) {
                everything.add(sent);
            }
            log(sent.toString());
            TransmitOwner owner = packet.owner();
            if (owner != null) {
                stack.transmitCompleted(now, owner, packet.truesize());
            }
            packets.release(packet);
        }
        inDevice.clear();
        return true;
    }

    // ---- the end -----------------------------------------------------------------------------

    /** Ends this exchange before its test: {@link #finish}, and its memory is given back. */
    public void end() {
        finish();
        free();
        ExchangeExtension.ended(this);
    }

    /** Nothing unexpected was sent, and when all sockets are gone nothing is left in use. */
    public void finish() {
        turn();
        requireSilence();
        for (StreamSocket socket : sockets) {
            socket.abort(now);
        }
        if (listener != null) {
            listener.close(now);
        }
        turn();
        if (packets.outstanding() != 0) {
            now += FRAGMENTS_LIVE; // what waits for the rest of its packet is given up
            turn();
        }
        unexpected.clear();
        if (packets.outstanding() != 0) {
            throw failure(packets.outstanding() + " packets are not given back");
        }
        if (blocks.outstanding() != 0) {
            throw failure(blocks.outstanding() + " blocks are not given back");
        }
    }

    void free() {
        packets.close();
        blocks.close();
    }
}
