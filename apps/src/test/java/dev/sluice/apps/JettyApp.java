package dev.sluice.apps;

import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.Content.Source;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Jetty 12.1: its server, and its client. */
final class JettyApp implements Server, Client {
    private static final int MOST_BYTES = 16 << 20;

    @Override
    public Running serve(InetAddress at) throws Exception {
        var server = new org.eclipse.jetty.server.Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost(at.getHostAddress());
        server.addConnector(connector);
        server.setHandler(new Pages());
        server.start();
        return new Running(connector.getLocalPort(), server::stop);
    }

    private static final class Pages extends Handler.Abstract {
        @Override
        public boolean handle(
                org.eclipse.jetty.server.Request request, Response response, Callback callback)
                throws Exception {
            try (InputStream body = Source.asInputStream(request);
                    OutputStream out = Response.asBufferedOutputStream(request, response)) {
                Http.answer(
                        request.getHttpURI().getPath(), request.getHttpURI().getQuery(), body, out);
            }
            callback.succeeded();
            return true;
        }
    }

    @Override
    public void use(InetAddress own, InetSocketAddress server) throws Exception {
        HttpClient client = new HttpClient();
        client.start();
        Http.check(server, (url, body) -> ask(client, url, body));
        client.stop();
    }

    private static byte[] ask(HttpClient client, String url, byte[] body) throws Exception {
        Request request = client.newRequest(url);
        if (body != null) {
            request.method(HttpMethod.POST).body(new BytesRequestContent(body));
        }
        var response = new CompletableResponseListener(request, MOST_BYTES).send().get();
        Http.equal(200, response.getStatus());
        return response.getContent();
    }
}
