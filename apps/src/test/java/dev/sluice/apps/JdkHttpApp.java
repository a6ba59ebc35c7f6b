package dev.sluice.apps;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What the JDK brings: {@code com.sun.net.httpserver} and {@code java.net.http}. */
final class JdkHttpApp implements Server, Client {
    @Override
    public Running serve(InetAddress at) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(at, 0), 0);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", JdkHttpApp::answer);
        server.start();
        return new Running(
                server.getAddress().getPort(),
                () -> {
                    server.stop(0);
                    threads.close();
                });
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            // Length 0 means that the body is sent in chunks.
            exchange.sendResponseHeaders(200, 0);
            URI uri = exchange.getRequestURI();
            try (OutputStream out = exchange.getResponseBody()) {
                Http.answer(uri.getPath(), uri.getQuery(), exchange.getRequestBody(), out);
            }
        }
    }

    @Override
    public void use(InetAddress own, InetSocketAddress server) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            Http.check(server, (url, body) -> ask(client, url, body));
        }
    }

    private static byte[] ask(HttpClient client, String url, byte[] body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        if (body != null) {
            request.POST(HttpRequest.BodyPublishers.ofByteArray(body));
        }
        HttpResponse<byte[]> response =
                client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        Http.equal(200, response.statusCode());
        return response.body();
    }
}
