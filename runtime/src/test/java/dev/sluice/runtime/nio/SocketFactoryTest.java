package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/** The ways to make a socket on a stack. */
@Timeout(60)
class SocketFactoryTest {
    private Net.Open net;

    @BeforeEach
    void open() throws Exception {
        net = Net.STACKS.open();
    }

    @AfterEach
    void close() {
        net.close();
    }

    @Test
    void a_factory_connects_by_name_and_by_address() throws Exception {
        StackSelectorProvider ours = (StackSelectorProvider) net.provider();
        StackSocketFactory factory = new StackSocketFactory(ours);
        try (ServerSocket server =
                new StackServerSocketFactory(ours).createServerSocket(0, 5, net.server())) {
            int port = server.getLocalPort();
            String name = net.server().getHostAddress();
            accepts(server, factory.createSocket(name, port));
            accepts(server, factory.createSocket(net.server(), port));
            accepts(server, factory.createSocket(name, port, net.client(), 0));
            accepts(server, factory.createSocket(net.server(), port, net.client(), 0));
        }
    }

    private void accepts(ServerSocket server, Socket client) throws IOException {
        try (client;
                Socket accepted = server.accept()) {
            assertThat(accepted.getPort()).isEqualTo(client.getLocalPort());
            assertThat(accepted.getInetAddress()).isEqualTo(net.client());
            assertThat(client.getLocalAddress()).isEqualTo(net.client());
        }
    }

    @Test
    void an_implementation_can_be_given_to_a_socket() throws Exception {
        try (ServerSocket server = Sockets.PLAIN.listen(net);
                Socket client =
                        new Socket(
                                new StackStreamSocket((StackSelectorProvider) net.provider())) {}) {
            client.connect(server.getLocalSocketAddress(), 10_000);
            accepts(server, client);
        }
    }
}
