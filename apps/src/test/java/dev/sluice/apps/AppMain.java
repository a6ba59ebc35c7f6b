package dev.sluice.apps;

import dev.sluice.apps.Server.Running;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Runs applications in a JVM of their own. Which sockets that JVM has is decided by its options,
 * not here. Standard output carries a line for each step; what applications log goes to standard
 * error.
 */
final class AppMain {
    private AppMain() {}

    /**
     * Runs what the first argument says:
     *
     * <ul>
     *   <li>{@code serve SERVER ADDRESS}: prints the port, and stops when standard input ends;
     *   <li>{@code use CLIENT OWN-ADDRESS ADDRESS PORT};
     *   <li>{@code both SERVER ADDRESS CLIENT OWN-ADDRESS}.
     * </ul>
     */
    public static void main(String[] args) {
        try {
            run(args);
            System.out.println("done");
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
        // Some applications keep threads for a while after they were closed.
        System.exit(0);
    }

    private static void run(String[] args) throws Exception {
        switch (args[0]) {
            case "serve" -> {
                Running running = serve(args[1], args[2]);
                System.out.println(running.port());
                while (System.in.read() >= 0) {
                    // Nothing is said, only when it ends counts.
                }
                running.stop().close();
            }
            case "use" -> use(args[1], args[2], args[3], Integer.parseInt(args[4]));
            case "both" -> {
                Running running = serve(args[1], args[2]);
                use(args[3], args[4], args[2], running.port());
                running.stop().close();
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static Running serve(String server, String address) throws Exception {
        return application(server, Server.class).serve(InetAddress.getByName(address));
    }

    private static void use(String client, String own, String address, int port) throws Exception {
        application(client, Client.class)
                .use(InetAddress.getByName(own), new InetSocketAddress(address, port));
    }

    private static <T> T application(String name, Class<T> role) throws Exception {
        return role.cast(Class.forName(name).getDeclaredConstructor().newInstance());
    }
}
