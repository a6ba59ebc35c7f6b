package dev.sluice.runtime.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

/** RFC 9112 sections 2 to 6, as far as an answer depends on them. */
class RequestHeadTest {
    private static RequestHead parsed(String text) {
        byte[] bytes = ("junk" + text + "\r\n\r\nmore").getBytes(StandardCharsets.ISO_8859_1);
        RequestHead head = new RequestHead();
        int end = RequestHead.end(bytes, 4, bytes.length);
        assertThat(end).isEqualTo(bytes.length - 4);
        head.parse(bytes, 4, end);
        return head;
    }

    @Test
    void a_request_of_http_1_1_keeps_the_connection() {
        RequestHead head = parsed("GET / HTTP/1.1\r\nHost: a");
        assertThat(head.status).isEqualTo(200);
        assertThat(head.keepAlive).isTrue();
        assertThat(head.headOnly).isFalse();
        assertThat(head.contentLength).isZero();
    }

    @Test
    void one_of_http_1_0_does_so_only_if_it_says_so() {
        assertThat(parsed("GET / HTTP/1.0").keepAlive).isFalse();
        assertThat(parsed("GET / HTTP/1.0\r\nConnection: Keep-Alive").keepAlive).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "CLOSE", " foo, close ", "\tclose"})
    void close_is_found_among_the_options(String value) {
        assertThat(parsed("GET / HTTP/1.1\r\nCONNECTION:" + value).keepAlive).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 200, 0",
        "' 42 ', 200, 42",
        "999999999999999999, 200, 999999999999999999",
        "9999999999999999999, 400, 0",
        "-1, 400, 0",
        "'', 400, 0",
        "1x, 400, 0"
    })
    void content_length_is_a_number(String value, int status, long length) {
        RequestHead head = parsed("POST / HTTP/1.1\r\nContent-Length:" + value);
        assertThat(head.status).isEqualTo(status);
        assertThat(head.contentLength).isEqualTo(length);
    }

    @Test
    void a_transfer_coding_is_not_implemented() {
        assertThat(parsed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked").status).isEqualTo(501);
    }

    @Test
    void head_has_no_body_and_header_is_another_method() {
        assertThat(parsed("HEAD / HTTP/1.1").headOnly).isTrue();
        assertThat(parsed("HEADER / HTTP/1.1").headOnly).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "GET",
                "GET /",
                "GET / HTTP/2.0",
                "GET / HTTP/1.1 x",
                "GET /  HTTP/1.1",
                "GET / HTTP/1.1\r\nno colon",
                "GET / HTTP/1.1\r\n: no name"
            })
    void anything_else_is_a_bad_request(String text) {
        assertThat(parsed(text).status).isEqualTo(400);
    }

    @Test
    void an_end_that_is_not_there_is_not_found() {
        byte[] bytes = "GET / HTTP/1.1\r\n\r".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(RequestHead.end(bytes, 0, bytes.length)).isEqualTo(-1);
    }
}
