package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.Command;
import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.runtime.loop.Gate;
import dev.sluice.runtime.loop.StackCall;
import dev.sluice.runtime.loop.StackClosedException;
import dev.sluice.socket.DatagramSocket;
import dev.sluice.tcp.Readiness;
import dev.sluice.tcp.SocketSignals;
import dev.sluice.wire.IpAddress;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A datagram channel's way to its socket on a stack. One thread may receive while another sends.
 * Results are those of {@link DatagramSocket}, and {@link StreamPort#GONE}.
 */
final class DatagramPort implements SocketSignals {
    private final Host host;
    private final DatagramSocket socket;
    private final KeyList keys;
    private final Gate reader = new Gate();
    private final Gate writer = new Gate();

    private final Command receiveCall = new Command(this::receiveNow);
    private final Command sendCall = new Command(this::sendNow);

    // What is received into: one buffer, or some of several by way of a copy.
    private ByteBuffer destination;
    private long senderHi;
    private long senderLo;
    private int senderPort;

    /** The sender last reported: as a rule the next one is the same. */
    private InetSocketAddress sender;

    private long reportedHi;
    private long reportedLo;

    // What is sent, and where to; null for the peer.
    private ByteBuffer source;
    private ByteBuffer[] sources;
    private int sourceFrom;
    private int sourceCount;
    private IpAddress to;
    private int toPort;

    private DatagramPort(Host host, DatagramSocket socket, KeyList keys) {
        this.host = host;
        this.socket = socket;
        this.keys = keys;
        socket.signals(this);
    }

    /** A new socket on that stack; null if the stack is closed. */
    static DatagramPort open(Host host, boolean ipv4Only, KeyList keys) {
        DatagramPort[] made = new DatagramPort[1];
        try {
            host.loop()
                    .call(
                            now -> {
                                DatagramSocket socket = new DatagramSocket(host.stack(), ipv4Only);
                                made[0] = new DatagramPort(host, socket, keys);
                                return 0;
                            });
        } catch (StackClosedException e) {
            return null;
        }
        return made[0];
    }

    Host host() {
        return host;
    }

    EventLoop loop() {
        return host.loop();
    }

    /** To be touched on the stack. */
    DatagramSocket socket() {
        return socket;
    }

    /** A control call: whatever the body does with {@link #socket}. */
    long call(StackCall body) {
        try {
            return host.loop().call(body);
        } catch (StackClosedException e) {
            return StreamPort.GONE;
        }
    }

    private long call(Command command) {
        try {
            return host.loop().call(command);
        } catch (StackClosedException e) {
            return StreamPort.GONE;
        }
    }

    int bind(IpAddress address, int port) {
        return (int) call(now -> socket.bind(address, port));
    }

    int connect(IpAddress address, int port) {
        return (int) call(now -> socket.connect(now, address, port));
    }

    int disconnect() {
        return (int) call(now -> socket.disconnect(now));
    }

    void close() {
        call(now -> socket.close(now));
    }

    /** Null if it is not bound. */
    InetSocketAddress localAddress() {
        InetSocketAddress[] found = new InetSocketAddress[1];
        call(
                now -> {
                    IpAddress a = socket.localAddress();
                    int port = socket.localPort();
                    found[0] = port == 0 ? null : Addresses.socketAddress(a.hi(), a.lo(), port);
                    return 0;
                });
        return found[0];
    }

    // ---- waiting -----------------------------------------------------------------------------

    /** Before trying to receive: what comes afterwards ends {@link #awaitReadable}. */
    void willReceive() {
        reader.shut();
    }

    /** Before trying to send. */
    void willSend() {
        writer.shut();
    }

    /** See {@link EventLoop#await}. */
    boolean awaitReadable(long deadline) {
        return await(reader, deadline);
    }

    boolean awaitWritable() {
        return await(writer, Long.MAX_VALUE);
    }

    private boolean await(Gate gate, long deadline) {
        try {
            return host.loop().await(gate, deadline);
        } catch (StackClosedException e) {
            return true; // the next try says so
        }
    }

    /** Whoever waits has to look again. */
    void wake() {
        reader.open();
        writer.open();
    }

    @Override
    public void ready(long now, int events) {
        if ((events & ~Readiness.OUT) != 0) {
            reader.open();
        }
        if ((events & ~Readiness.IN) != 0) {
            writer.open();
        }
        keys.signal(events);
    }

    /** On the stack: EPOLL* bits. */
    int readySet() {
        return socket.readySet();
    }

    // ---- data --------------------------------------------------------------------------------

    /** Receives one datagram; what has no room is lost. */
    int receive(ByteBuffer into) {
        destination = into;
        int result = (int) call(receiveCall);
        destination = null;
        return result;
    }

    private long receiveNow(long now) {
        int result = socket.receive(now, destination, 0);
        if (result >= 0) {
            senderHi = socket.senderHi();
            senderLo = socket.senderLo();
            senderPort = socket.senderPort();
        }
        return result;
    }

    /** Who sent what {@link #receive} got. */
    InetSocketAddress sender() {
        boolean same =
                sender != null
                        && sender.getPort() == senderPort
                        && reportedHi == senderHi
                        && reportedLo == senderLo;
        if (!same) {
            sender = Addresses.socketAddress(senderHi, senderLo, senderPort);
            reportedHi = senderHi;
            reportedLo = senderLo;
        }
        return sender;
    }

    /** Sends one datagram; to the peer if {@code address} is null. */
    int send(ByteBuffer from, IpAddress address, int port) {
        source = from;
        to = address;
        toPort = port;
        int result = (int) call(sendCall);
        source = null;
        return result;
    }

    /** Sends what is in all of the buffers to the peer, as one datagram. */
    int send(ByteBuffer[] all, int from, int count) {
        sources = all;
        sourceFrom = from;
        sourceCount = count;
        to = null;
        int result = (int) call(sendCall);
        sources = null;
        return result;
    }

    private long sendNow(long now) {
        return source == null
                ? socket.send(now, sources, sourceFrom, sourceCount, to, toPort, 0)
                : socket.send(now, source, to, toPort, 0);
    }
}
