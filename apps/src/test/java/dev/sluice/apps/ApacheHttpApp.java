package dev.sluice.apps;

import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.core5.http.ContentType;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Apache HttpClient 5, asynchronous. */
final class ApacheHttpApp implements Client {
    @Override
    public void use(InetAddress own, InetSocketAddress server) throws Exception {
        try (CloseableHttpAsyncClient client = HttpAsyncClients.createDefault()) {
            client.start();
            Http.check(server, (url, body) -> ask(client, url, body));
        }
    }

    private static byte[] ask(CloseableHttpAsyncClient client, String url, byte[] body)
            throws Exception {
        SimpleHttpRequest request =
                body == null
                        ? SimpleRequestBuilder.get(url).build()
                        : SimpleRequestBuilder.post(url)
                                .setBody(body, ContentType.APPLICATION_OCTET_STREAM)
                                .build();
        SimpleHttpResponse response = client.execute(request, null).get();
        Http.equal(200, response.getCode());
        return response.getBodyBytes();
    }
}
