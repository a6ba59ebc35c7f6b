package dev.sluice.examples;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;

/**
 * A Tomcat with one page. Nothing here knows of Sluice: options of the JVM decide whose TCP it has.
 *
 * <p>Arguments: the address to serve at, and {@code visit} to ask for the page and end.
 */
public final class TomcatExample {
    private static final int PORT = 8080;

    private TomcatExample() {}

    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createTempDirectory("tomcat").toString());
        Connector connector = new Connector();
        connector.setProperty("address", args[0]);
        connector.setPort(PORT);
        connector.setThrowOnFailure(true);
        tomcat.setConnector(connector);
        Tomcat.addServlet(tomcat.addContext("", null), "page", new Page()).addMapping("/");
        tomcat.start();
        System.out.println("serving http://" + args[0] + ":" + PORT + "/");
        if (args.length > 1 && args[1].equals("visit")) {
            visit(URI.create("http://" + args[0] + ":" + PORT + "/"));
            tomcat.stop();
        } else {
            tomcat.getServer().await();
        }
    }

    private static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.setContentType("text/plain");
            response.getWriter().println("Hello, " + request.getRemoteAddr() + ".");
        }
    }

    private static void visit(URI page) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(page).build();
            System.out.print(client.send(request, BodyHandlers.ofString()).body());
        }
    }
}
