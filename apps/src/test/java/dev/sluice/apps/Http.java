package dev.sluice.apps;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * What every HTTP server of these tests serves, and what every HTTP client asks for.
 *
 * <ul>
 *   <li>{@code GET /page}: 3,096 characters;
 *   <li>{@code GET /bytes?N}: the first N bytes of {@link Content};
 *   <li>{@code POST /digest}: length and digest of the body, once all of it has come. Nothing is
 *       echoed while it comes: a client that sends first and reads afterwards would wait forever.
 * </ul>
 */
final class Http {
    static final int PAGE_CHARACTERS = 3096;

    private static final int MEGABYTES = 6_000_000;

    private Http() {}

    /** The page. */
    static String page() {
        StringBuilder page = new StringBuilder();
        for (int i = 0; page.length() < PAGE_CHARACTERS; i++) {
            page.append("line ").append(i).append('\n');
        }
        return page.substring(0, PAGE_CHARACTERS);
    }

    /** Answers a request for {@code path}. */
    static void answer(String path, String query, InputStream body, OutputStream out)
            throws IOException {
        switch (path) {
            case "/page" -> {
                Writer writer = new OutputStreamWriter(out, StandardCharsets.UTF_8);
                writer.write(page());
                writer.flush();
            }
            case "/bytes" -> Content.write(out, Long.parseLong(query));
            case "/digest" -> out.write(Content.digest(body).getBytes(StandardCharsets.US_ASCII));
            default -> throw new IOException("no such page: " + path);
        }
    }

    /** One way of sending a request and getting the whole body of a successful answer. */
    interface Exchange {
        /**
         * @param body null for a GET
         */
        byte[] ask(String url, byte[] body) throws Exception;
    }

    /** Asks for everything there is, more than once, and checks the answers. */
    static void check(InetSocketAddress server, Exchange exchange) throws Exception {
        String root = "http://" + server.getHostString() + ":" + server.getPort();
        for (int i = 0; i < 2; i++) {
            equal(page(), text(exchange.ask(root + "/page", null)));
            byte[] bytes = exchange.ask(root + "/bytes?" + MEGABYTES, null);
            equal(Content.expected(MEGABYTES), Content.digest(new ByteArrayInputStream(bytes)));
            byte[] digest = exchange.ask(root + "/digest", Content.bytes(MEGABYTES));
            equal(Content.expected(MEGABYTES), text(digest));
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static void equal(Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError("expected " + expected + " but got " + actual);
        }
    }
}
