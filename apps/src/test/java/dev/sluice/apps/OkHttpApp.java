package dev.sluice.apps;

import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import javax.net.SocketFactory;

/** OkHttp 5, which blocks on what a socket factory gives it. */
final class OkHttpApp implements Client {
    @Override
    public void use(InetAddress own, InetSocketAddress server) throws Exception {
        Class<?> factory = Class.forName(Sockets.factoryName());
        OkHttpClient client =
                new OkHttpClient.Builder()
                        .socketFactory(
                                (SocketFactory) factory.getDeclaredConstructor().newInstance())
                        .build();
        Http.check(server, (url, body) -> ask(client, url, body));
        client.connectionPool().evictAll();
        client.dispatcher().executorService().close();
    }

    private static byte[] ask(OkHttpClient client, String url, byte[] body) throws Exception {
        Request.Builder request = new Request.Builder().url(url);
        if (body != null) {
            request.post(RequestBody.create(body));
        }
        try (Response response = client.newCall(request.build()).execute()) {
            Http.equal(200, response.code());
            return response.body().bytes();
        }
    }
}
