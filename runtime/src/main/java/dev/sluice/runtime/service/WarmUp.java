package dev.sluice.runtime.service;

import dev.sluice.runtime.LiveStack;
import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.runtime.loop.Gate;
import dev.sluice.socket.StreamSocket;
import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.SocketSignals;
import dev.sluice.wire.IpAddress;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Uses the services of a stack over its own loopback interface for a while, so that what serving
 * takes is compiled before the first client comes. A JVM that has just started interprets: without
 * this the first seconds under load are several times slower than the rest.
 */
public final class WarmUp {
    private static final IpAddress SELF = IpAddress.ipv4(0x7f00_0001);
    private static final int BLOCK = 65_536;

    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private WarmUp() {}

    /** Returns after {@code nanos}, with all connections reset. The services listen already. */
    public static void run(LiveStack live, List<Service> services, long nanos) {
        EventLoop loop = live.loop();
        List<Client> clients = new ArrayList<>();
        for (Service service : services) {
            for (int i = 0; i < connections(service); i++) {
                clients.add(new Client(live.stack(), service));
            }
        }
        loop.call(now -> connect(now, clients));
        loop.await(new Gate(), loop.now() + nanos);
        loop.call(now -> abort(now, clients));
    }

    private static int connections(Service service) {
        return switch (service) {
            case HTTP -> 32;
            case ECHO -> 4;
            case DISCARD, SOURCE -> 1;
        };
    }

    private static long connect(long now, List<Client> clients) {
        for (Client client : clients) {
            client.socket.signals(client);
            client.socket.connect(now, SELF, client.service.port());
        }
        return clients.size();
    }

    private static long abort(long now, List<Client> clients) {
        for (Client client : clients) {
            client.socket.signals(null);
            client.socket.abort(now);
        }
        return clients.size();
    }

    /** Asks again as soon as it has been answered. */
    private static final class Client implements SocketSignals {
        private final StreamSocket socket;
        private final Service service;
        private final byte[] block = new byte[BLOCK];

        /** Bytes of the answer that are still to come. */
        private long missing;

        Client(NetworkStack stack, Service service) {
            this.socket = new StreamSocket(stack);
            this.service = service;
        }

        @Override
        public void ready(long now, int events) {
            switch (service) {
                case HTTP -> exchange(now, REQUEST, REQUEST.length, HttpSession.ANSWER_BYTES);
                case ECHO -> exchange(now, block, 64, 64);
                case DISCARD -> socket.write(now, block, 0, BLOCK, 0);
                case SOURCE -> socket.read(now, block, 0, BLOCK, 0);
            }
        }

        private void exchange(long now, byte[] request, int length, int answer) {
            int read;
            do {
                read = socket.read(now, block, 0, BLOCK, 0);
                missing -= Math.max(0, read);
            } while (read > 0);
            if (missing == 0 && socket.write(now, request, 0, length, 0) == length) {
                missing = answer;
            }
        }
    }
}
