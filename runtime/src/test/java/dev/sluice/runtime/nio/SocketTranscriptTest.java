package dev.sluice.runtime.nio;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * Sockets of a stack answer every call as those of the JDK on the kernel do: the same story is told
 * to both, and what they say is compared line by line.
 */
@Timeout(60)
class SocketTranscriptTest {
    private static void nameAddresses(Transcript t, Net.Open net, Object serverPort) {
        t.name(net.server() + ":" + serverPort, "SERVER");
        t.name(net.server(), "THERE");
        t.name(net.client(), "THERE");
        t.name(serverPort, "PORT");
    }

    // ---- what a socket says about itself -----------------------------------------------------

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void a_client_through_its_life(Sockets kind) throws Exception {
        Transcript.isTheSameOnBoth(
                (t, net) -> {
                    try (ServerSocket listener = kind.listen(net);
                            Socket client = kind.client(net)) {
                        nameAddresses(t, net, listener.getLocalPort());
                        t.describe("new", client);
                        t.run("connect", () -> client.connect(listener.getLocalSocketAddress()));
                        t.name(client.getLocalPort(), "OWN");
                        t.describe("connected", client);
                        try (Socket server = listener.accept()) {
                            t.describe("accepted", server);
                            t.run("again", () -> client.connect(server.getLocalSocketAddress()));
                            t.run("bind late", () -> client.bind(null));
                            t.run("shutdownInput", client::shutdownInput);
                            t.describe("input shut", client);
                            t.run("shutdownInput again", client::shutdownInput);
                            t.run("shutdownOutput", client::shutdownOutput);
                            t.describe("output shut", client);
                            t.run("shutdownOutput again", client::shutdownOutput);
                        }
                        t.run("close", client::close);
                        t.describe("closed", client);
                        t.run("close again", client::close);
                        t.run("connect", () -> client.connect(listener.getLocalSocketAddress()));
                        t.run("bind", () -> client.bind(null));
                        t.run("shutdownInput", client::shutdownInput);
                        t.run("shutdownOutput", client::shutdownOutput);
                        t.run("sendUrgentData", () -> client.sendUrgentData(1));
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void a_bound_client(Sockets kind) throws Exception {
        Transcript.isTheSameOnBoth(
                (t, net) -> {
                    try (ServerSocket listener = kind.listen(net);
                            Socket client = kind.client(net)) {
                        nameAddresses(t, net, listener.getLocalPort());
                        t.run("bind", () -> client.bind(new InetSocketAddress(net.client(), 0)));
                        t.name(client.getLocalPort(), "OWN");
                        t.describe("bound", client);
                        t.run("bind again", () -> client.bind(null));
                        t.run("shutdownInput", client::shutdownInput);
                        t.run("shutdownOutput", client::shutdownOutput);
                        t.run("connect", () -> client.connect(listener.getLocalSocketAddress()));
                        t.describe("connected", client);
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void a_server_through_its_life(Sockets kind) throws Exception {
        Transcript.isTheSameOnBoth(
                (t, net) -> {
                    try (ServerSocket server = kind.server(net)) {
                        t.describe("new", server);
                        t.run("accept", server::accept);
                        InetSocketAddress any = new InetSocketAddress(net.server(), 0);
                        t.run("bind", () -> server.bind(any));
                        nameAddresses(t, net, server.getLocalPort());
                        t.describe("bound", server);
                        t.run("bind again", () -> server.bind(any));
                        SocketAddress taken = server.getLocalSocketAddress();
                        try (ServerSocket second = kind.server(net)) {
                            t.run("bind taken", () -> second.bind(taken));
                        }
                        try (ServerSocket second = kind.server(net)) {
                            t.run(
                                    "bind foreign",
                                    () -> second.bind(new InetSocketAddress("192.0.2.9", 0)));
                            t.run(
                                    "bind name",
                                    () -> second.bind(InetSocketAddress.createUnresolved("x", 0)));
                            t.run("bind other", () -> second.bind(new OtherAddress()));
                        }
                        t.run("negative timeout", () -> server.setSoTimeout(-1));
                        t.run("timeout", () -> server.setSoTimeout(1));
                        t.call("timeout", server::getSoTimeout);
                        t.run("accept", server::accept);
                        t.run("no buffer", () -> server.setReceiveBufferSize(0));
                        t.run("buffer", () -> server.setReceiveBufferSize(100_000));
                        t.call("buffer", server::getReceiveBufferSize);
                        t.run("close", server::close);
                        t.describe("closed", server);
                        t.run("accept", server::accept);
                        t.run("bind", () -> server.bind(any));
                        t.run("timeout", () -> server.setSoTimeout(1));
                        t.run("close again", server::close);
                    }
                });
    }

    private static final class OtherAddress extends SocketAddress {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            return "other";
        }
    }

    // ---- options -----------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void options_by_their_methods(Sockets kind) throws Exception {
        Transcript.isTheSameOnBoth(
                (t, net) -> {
                    try (Sockets.Pair pair = kind.connect(net)) {
                        options(t, "open", pair.client());
                        pair.client().close();
                        options(t, "closed", pair.client());
                    }
                });
    }

    private static void options(Transcript t, String when, Socket s) {
        for (boolean on : List.of(true, false)) {
            t.run(when + " nodelay " + on, () -> s.setTcpNoDelay(on));
            t.call(when + " nodelay", s::getTcpNoDelay);
            t.run(when + " keepalive " + on, () -> s.setKeepAlive(on));
            t.call(when + " keepalive", s::getKeepAlive);
            t.run(when + " inline " + on, () -> s.setOOBInline(on));
            t.call(when + " inline", s::getOOBInline);
            t.run(when + " reuse " + on, () -> s.setReuseAddress(on));
            t.call(when + " reuse", s::getReuseAddress);
        }
        for (int n : List.of(-1, 0, 1, 20, 255, 256, 70_000)) {
            t.run(when + " timeout " + n, () -> s.setSoTimeout(n));
            t.call(when + " timeout", s::getSoTimeout);
            t.run(when + " send " + n, () -> s.setSendBufferSize(n));
            t.run(when + " receive " + n, () -> s.setReceiveBufferSize(n));
            t.run(when + " class " + n, () -> s.setTrafficClass(n));
            t.call(when + " class", s::getTrafficClass);
            t.run(when + " linger " + n, () -> s.setSoLinger(true, n));
            t.call(when + " linger", s::getSoLinger);
            t.run(when + " no linger " + n, () -> s.setSoLinger(false, n));
            t.call(when + " linger", s::getSoLinger);
        }
        t.call(when + " send", s::getSendBufferSize);
        t.call(when + " receive", s::getReceiveBufferSize);
        t.call(when + " by name", () -> s.getOption(StandardSocketOptions.TCP_NODELAY));
        t.run(when + " null", () -> s.setOption(StandardSocketOptions.TCP_NODELAY, null));
        t.call(when + " broadcast", () -> s.getOption(StandardSocketOptions.SO_BROADCAST));
    }

    // ---- connecting --------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void connecting_that_fails(Sockets kind) throws Exception {
        Transcript.isTheSameOnBoth(
                (t, net) -> {
                    InetSocketAddress nobody = net.nobody();
                    nameAddresses(t, net, nobody.getPort());
                    for (int timeout : List.of(0, 10_000)) {
                        try (Socket client = kind.client(net)) {
                            t.run("refused", () -> client.connect(nobody, timeout));
                            t.describe("refused", client);
                        }
                    }
                    try (Socket client = kind.client(net)) {
                        t.run("null", () -> client.connect(null));
                        t.run("negative", () -> client.connect(nobody, -1));
                        t.run("other", () -> client.connect(new OtherAddress()));
                        t.describe("other", client);
                    }
                    try (Socket client = kind.client(net)) {
                        InetSocketAddress name = InetSocketAddress.createUnresolved("host.x", 1);
                        t.run("unresolved", () -> client.connect(name));
                        t.call("unresolved", client::isClosed);
                        t.run("unresolved again", () -> client.connect(name));
                    }
                });
    }

    // ---- streams -----------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void the_streams_of_a_connection(Sockets kind) throws Exception {
        Transcript.isTheSameOnBoth(
                (t, net) -> {
                    try (Sockets.Pair pair = kind.connect(net)) {
                        Socket client = pair.client();
                        InputStream in = client.getInputStream();
                        OutputStream out = pair.server().getOutputStream();
                        byte[] bytes = new byte[100];
                        t.call("available", in::available);
                        t.call("read nothing", () -> in.read(bytes, 0, 0));
                        t.call("read outside", () -> in.read(bytes, 99, 2));
                        t.run("write outside", () -> out.write(bytes, -1, 2));
                        t.run("write nothing", () -> out.write(bytes, 3, 0));
                        client.setSoTimeout(1);
                        t.call("read late", () -> in.read(bytes));
                        t.call("read late again", in::read);
                        client.setSoTimeout(10_000);
                        out.write(new byte[] {1, 2, 3, (byte) 200, 5, 6, 7, 8, 9, 10});
                        t.call("read", in::read);
                        awaitAvailable(in, 9);
                        t.call("available", in::available);
                        t.call("skip", () -> in.skip(2));
                        t.call("read unsigned", in::read);
                        t.call("read two", () -> in.read(bytes, 50, 2));
                        t.call("read the rest", () -> in.read(bytes));
                        t.call("first of the rest", () -> bytes[0]);
                        pair.server().shutdownOutput();
                        t.call("end", in::read);
                        t.call("end again", () -> in.read(bytes));
                        t.call("available at the end", in::available);
                        t.call("skip at the end", () -> in.skip(3));
                        t.call("transfer at the end", () -> in.transferTo(new NoBytes()));
                        t.run("close the stream", in::close);
                        t.call("closed", client::isClosed);
                        t.call("read", in::read);
                        t.call("available", in::available);
                        t.call("get", () -> client.getInputStream() != null);
                        t.call("get", () -> client.getOutputStream() != null);
                    }
                });
    }

    private static void awaitAvailable(InputStream in, int bytes) throws IOException {
        while (in.available() < bytes) {
            Thread.onSpinWait();
        }
    }

    private static final class NoBytes extends OutputStream {
        @Override
        public void write(int b) {
            throw new AssertionError("there are no bytes");
        }
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void the_streams_of_what_is_closed_or_shut(Sockets kind) throws Exception {
        Transcript.isTheSameOnBoth(
                (t, net) -> {
                    try (Sockets.Pair pair = kind.connect(net)) {
                        Socket client = pair.client();
                        InputStream in = client.getInputStream();
                        OutputStream out = client.getOutputStream();
                        client.shutdownInput();
                        t.call("shut read", in::read);
                        t.call("shut available", in::available);
                        client.shutdownOutput();
                        t.run("shut write", () -> out.write(1));
                        t.run("shut urgent", () -> client.sendUrgentData(1));
                    }
                    try (Sockets.Pair pair = kind.connect(net)) {
                        Socket client = pair.client();
                        InputStream in = client.getInputStream();
                        OutputStream out = client.getOutputStream();
                        client.close();
                        t.call("closed read", in::read);
                        t.call("closed read nothing", () -> in.read(new byte[0]));
                        t.call("closed available", in::available);
                        t.run("closed write", () -> out.write(1));
                        t.run("closed write nothing", () -> out.write(new byte[0]));
                        t.run("closed flush", out::flush);
                        t.run("closed close", out::close);
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void a_connection_that_the_peer_resets(Sockets kind) throws Exception {
        Transcript.isTheSameOnBoth(
                (t, net) -> {
                    try (Sockets.Pair pair = kind.connect(net)) {
                        pair.server().setSoLinger(true, 0);
                        pair.server().close();
                        InputStream in = pair.client().getInputStream();
                        OutputStream out = pair.client().getOutputStream();
                        t.call("read", in::read);
                        t.call("read again", in::read);
                        t.run("write", () -> out.write(1));
                        t.call("closed", pair.client()::isClosed);
                        t.call("connected", pair.client()::isConnected);
                    }
                    try (Sockets.Pair pair = kind.connect(net)) {
                        OutputStream out = pair.client().getOutputStream();
                        out.write(1);
                        pair.server().getInputStream().read();
                        pair.server().setSoLinger(true, 0);
                        pair.server().close();
                        t.call("write until it fails", () -> writeUntilItFails(out));
                        t.run("write again", () -> out.write(1));
                    }
                });
    }

    private static Object writeUntilItFails(OutputStream out) throws IOException {
        while (true) {
            out.write(1);
        }
    }

    // ---- channels in the other mode ----------------------------------------------------------

    @Test
    void the_socket_of_a_channel_that_does_not_block() throws Exception {
        Transcript.isTheSameOnBoth(
                (t, net) -> {
                    try (Sockets.Pair pair = Sockets.OF_CHANNELS.connect(net);
                            ServerSocketChannel listener = net.listen();
                            SocketChannel fresh = net.provider().openSocketChannel()) {
                        Socket client = pair.client();
                        SocketChannel channel = client.getChannel();
                        t.call("the same", () -> channel.socket() == client);
                        channel.configureBlocking(false);
                        t.call("read", () -> client.getInputStream().read());
                        t.run("write", () -> client.getOutputStream().write(1));
                        t.call("available", () -> client.getInputStream().available());
                        fresh.configureBlocking(false);
                        t.run("connect", () -> fresh.socket().connect(listener.getLocalAddress()));
                        t.call("open", fresh::isOpen);
                        listener.configureBlocking(false);
                        t.call("accept", () -> listener.socket().accept());
                        listener.socket().setSoTimeout(1);
                        t.call("timed accept", () -> listener.socket().accept());
                    }
                });
    }
}
