package dev.sluice.runtime.nio;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;

/** The sockets of datagram channels; the same story is told to the kernel's and to ours. */
@Timeout(60)
class DatagramSocketTest {
    private static DatagramSocket open(Net.Open net) throws IOException {
        return net.provider().openDatagramChannel().socket();
    }

    private static void describe(Transcript t, String when, DatagramSocket s) {
        t.call(when + " isBound", s::isBound);
        t.call(when + " isConnected", s::isConnected);
        t.call(when + " isClosed", s::isClosed);
        t.call(when + " getInetAddress", s::getInetAddress);
        t.call(when + " getPort", s::getPort);
        t.call(when + " getLocalAddress", s::getLocalAddress);
        t.call(when + " getLocalPort", s::getLocalPort);
        t.call(when + " getRemoteSocketAddress", s::getRemoteSocketAddress);
        t.call(when + " getLocalSocketAddress", s::getLocalSocketAddress);
        t.call(when + " getChannel", () -> s.getChannel() != null);
        t.call(when + " getSoTimeout", s::getSoTimeout);
        t.call(when + " getBroadcast", s::getBroadcast);
        t.call(when + " getReuseAddress", s::getReuseAddress);
        t.call(when + " getTrafficClass", s::getTrafficClass);
    }

    @SuppressWarnings("try") // the closing is part of the story
    private static void story(Transcript t, Net.Open net) throws Exception {
        try (DatagramSocket server = open(net);
                DatagramSocket client = open(net)) {
            describe(t, "new", server);
            t.run("bind", () -> server.bind(new InetSocketAddress(net.server(), 0)));
            t.name(server.getLocalPort(), "PORT");
            t.name(net.server(), "HERE");
            t.name(net.client(), "HERE");
            describe(t, "bound", server);
            t.run("bind again", () -> server.bind(null));
            client.bind(new InetSocketAddress(net.client(), 0));
            t.name(client.getLocalPort(), "OWN");
            exchange(t, server, client);
            t.run("connect", () -> client.connect(server.getLocalSocketAddress()));
            describe(t, "connected", client);
            t.run("connect again", () -> client.connect(server.getLocalSocketAddress()));
            t.run("send unaddressed", () -> client.send(new DatagramPacket(new byte[3], 3)));
            SocketAddress other = new InetSocketAddress(net.server(), 9);
            t.run("send elsewhere", () -> client.send(new DatagramPacket(new byte[3], 3, other)));
            t.run("disconnect", client::disconnect);
            describe(t, "disconnected", client);
            t.run("send unaddressed", () -> client.send(new DatagramPacket(new byte[3], 3)));
            options(t, "open", client);
            client.close();
            describe(t, "closed", client);
            options(t, "closed", client);
            t.run("connect", () -> client.connect(server.getLocalSocketAddress()));
            t.run("send", () -> client.send(new DatagramPacket(new byte[3], 3, other)));
            t.run("receive", () -> client.receive(new DatagramPacket(new byte[3], 3)));
        }
    }

    private static void exchange(Transcript t, DatagramSocket server, DatagramSocket client)
            throws IOException {
        SocketAddress to = server.getLocalSocketAddress();
        DatagramPacket into = new DatagramPacket(new byte[20], 2, 10);
        server.setSoTimeout(1);
        t.run("receive late", () -> server.receive(into));
        server.setSoTimeout(10_000);
        for (int length : List.of(4, 0, 10, 12, 7)) {
            byte[] bytes = new byte[length];
            Arrays.fill(bytes, (byte) (length + 1));
            t.run("send " + length, () -> client.send(new DatagramPacket(bytes, length, to)));
            t.run("receive " + length, () -> server.receive(into));
            t.call("length", into::getLength);
            t.call("offset", into::getOffset);
            t.call("first", () -> into.getData()[2]);
            t.call("before", () -> into.getData()[1]);
            t.call("sender", into::getPort);
        }
    }

    private static void options(Transcript t, String when, DatagramSocket s) {
        for (boolean on : List.of(true, false)) {
            t.run(when + " broadcast " + on, () -> s.setBroadcast(on));
            t.call(when + " broadcast", s::getBroadcast);
            t.run(when + " reuse " + on, () -> s.setReuseAddress(on));
            t.call(when + " reuse", s::getReuseAddress);
        }
        for (int n : List.of(-1, 0, 8, 255, 256, 50_000)) {
            t.run(when + " timeout " + n, () -> s.setSoTimeout(n));
            t.run(when + " send " + n, () -> s.setSendBufferSize(n));
            t.run(when + " receive " + n, () -> s.setReceiveBufferSize(n));
            t.run(when + " class " + n, () -> s.setTrafficClass(n));
        }
        t.call(when + " timeout", s::getSoTimeout);
        t.call(when + " send", s::getSendBufferSize);
        t.call(when + " receive", s::getReceiveBufferSize);
    }

    @Test
    void it_answers_as_the_sockets_of_the_jdk_do() throws Exception {
        Transcript.isTheSameOnBoth(DatagramSocketTest::story);
    }
}
