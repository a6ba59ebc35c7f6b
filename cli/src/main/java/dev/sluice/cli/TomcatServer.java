package dev.sluice.cli;

import dev.sluice.runtime.LiveConfig;
import dev.sluice.runtime.nio.StackSelectorProvider;
import dev.sluice.runtime.service.Relay;
import dev.sluice.wire.IpAddress;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * An unmodified Tomcat on live stacks. It finds them as any program does: by a system property that
 * names our provider and by one configuration file, both set here before the first channel is
 * opened.
 */
final class TomcatServer {
    private static final String PROVIDER_PROPERTY = "java.nio.channels.spi.SelectorProvider";

    private static final String SERVER = "10.9.0.1";

    private static final String CABLE =
            """
            stack.server.device=cable:lan
            stack.server.address=10.9.0.1/24
            stack.client.device=cable:lan
            stack.client.address=10.9.0.2/24
            """;

    /** For reasons of the machine; the message is a sentence for the user. */
    static final class NotStarted extends Exception {
        private static final long serialVersionUID = 1L;

        NotStarted(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private TomcatServer() {}

    /** Serves on the stack of that configuration until the process ends. */
    static void onTun(String configuration, IpAddress address, int port, PrintWriter out)
            throws Exception {
        Tomcat tomcat = start(configuration, address.toString(), port);
        out.println("serving http://" + address + ":" + port + "/");
        out.println("ready");
        out.flush();
        tomcat.getServer().await();
    }

    /** Serves at one end of a cable, with a relay to it from localhost, until the process ends. */
    static void onCable(int port, PrintWriter out) throws Exception {
        start(CABLE, SERVER, port);
        try (Relay relay = Relay.listen(port, new InetSocketAddress(SERVER, port))) {
            out.println("serving http://localhost:" + port + "/");
            out.println("ready");
            out.flush();
            relay.run();
        } catch (IOException e) {
            throw new NotStarted("port " + port + " of localhost: " + e.getMessage(), e);
        }
    }

    private static Tomcat start(String configuration, String address, int port) throws Exception {
        Path directory = Files.createTempDirectory("sluice-serve");
        Path file = Files.writeString(directory.resolve(LiveConfig.FILE), configuration);
        System.setProperty(LiveConfig.PROPERTY, file.toString());
        System.setProperty(PROVIDER_PROPERTY, StackSelectorProvider.class.getName());
        Logger.getLogger("org.apache").setLevel(Level.WARNING);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(directory.toString());
        Connector connector = new Connector();
        connector.setProperty("address", address);
        connector.setPort(port);
        connector.setThrowOnFailure(true);
        tomcat.setConnector(connector);
        Tomcat.addServlet(tomcat.addContext("", null), "page", new Page()).addMapping("/");
        try {
            tomcat.start();
        } catch (LifecycleException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw new NotStarted(cause.getMessage(), e);
        }
        return tomcat;
    }

    /** What the servlet of B-1.1 does: 3,096 characters through a writer, then a flush. */
    private static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1L;
        private static final int CHARACTERS = 3096;
        private static final String TEXT = "a".repeat(CHARACTERS);

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.setContentType("text/plain");
            OutputStreamWriter writer =
                    new OutputStreamWriter(response.getOutputStream(), StandardCharsets.UTF_8);
            writer.write(TEXT);
            writer.flush();
        }
    }
}
