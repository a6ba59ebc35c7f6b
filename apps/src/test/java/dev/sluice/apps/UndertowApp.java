package dev.sluice.apps;

import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Undertow 2.4 on XNIO. */
final class UndertowApp implements Server {
    private static final long MOST_BYTES = 16 << 20;

    @Override
    public Running serve(InetAddress at) {
        Undertow server =
                Undertow.builder()
                        .addHttpListener(0, at.getHostAddress())
                        .setServerOption(UndertowOptions.MAX_ENTITY_SIZE, MOST_BYTES)
                        .setHandler(new BlockingHandler(UndertowApp::answer))
                        .build();
        server.start();
        InetSocketAddress address =
                (InetSocketAddress) server.getListenerInfo().getFirst().getAddress();
        return new Running(address.getPort(), server::stop);
    }

    private static void answer(HttpServerExchange exchange) throws Exception {
        Http.answer(
                exchange.getRequestPath(),
                exchange.getQueryString(),
                exchange.getInputStream(),
                exchange.getOutputStream());
    }
}
