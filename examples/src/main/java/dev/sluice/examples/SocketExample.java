package dev.sluice.examples;

import dev.sluice.runtime.nio.StackServerSocketFactory;
import dev.sluice.runtime.nio.StackSocketFactory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/**
 * Plain sockets and virtual threads that block in them. A {@code new Socket()} would be the
 * kernel's; these come from factories, on the stacks of the configuration file.
 *
 * <p>Arguments: the address to serve at, and {@code visit} to say something to it and end.
 */
public final class SocketExample {
    private static final int PORT = 7000;
    private static final int BACKLOG = 100;

    private SocketExample() {}

    public static void main(String[] args) throws IOException {
        InetAddress address = InetAddress.getByName(args[0]);
        ServerSocketFactory servers = new StackServerSocketFactory();
        try (ServerSocket server = servers.createServerSocket(PORT, BACKLOG, address)) {
            System.out.println("serving " + args[0] + " port " + PORT);
            if (args.length > 1 && args[1].equals("visit")) {
                Thread.ofVirtual().start(() -> serve(server));
                visit(address);
            } else {
                serve(server);
            }
        }
    }

    private static void serve(ServerSocket server) {
        try {
            while (true) {
                Socket client = server.accept();
                Thread.ofVirtual().start(() -> answer(client));
            }
        } catch (SocketException e) {
            // It was closed.
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(Socket client) {
        try (client;
                BufferedReader in = lines(client);
                PrintStream out = new PrintStream(client.getOutputStream(), true)) {
            for (String line; (line = in.readLine()) != null; ) {
                out.println("You said: " + line);
            }
        } catch (IOException e) {
            System.err.println("a client went away: " + e.getMessage());
        }
    }

    private static BufferedReader lines(Socket socket) throws IOException {
        return new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void visit(InetAddress address) throws IOException {
        SocketFactory sockets = new StackSocketFactory();
        try (Socket socket = sockets.createSocket(address, PORT)) {
            socket.getOutputStream().write("hello\n".getBytes(StandardCharsets.UTF_8));
            System.out.println(lines(socket).readLine());
        }
    }
}
