package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;

/** What {@code Pipe} promises, alone and in a selector. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Net.class)
class PipeContractTest {
    private static final int LARGE = 1 << 20;

    @Parameter Net kind;

    private Net.Open net;
    private Pipe.SourceChannel source;
    private Pipe.SinkChannel sink;

    @BeforeEach
    void open() throws Exception {
        net = kind.open();
        Pipe pipe = net.provider().openPipe();
        source = pipe.source();
        sink = pipe.sink();
    }

    @AfterEach
    void close() throws Exception {
        sink.close();
        source.close();
        net.close();
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(ByteBuffer buffer) {
        buffer.flip();
        return StandardCharsets.US_ASCII.decode(buffer).toString();
    }

    @Test
    void bytes_come_out_as_they_went_in() throws Exception {
        assertThat(sink.write(bytes("ab"))).isEqualTo(2);
        assertThat(sink.write(new ByteBuffer[] {bytes("c"), bytes("de")})).isEqualTo(3);
        ByteBuffer[] into = {ByteBuffer.allocate(4), ByteBuffer.allocateDirect(9)};
        assertThat(source.read(into)).isEqualTo(5);
        assertThat(text(into[0]) + text(into[1])).isEqualTo("abcde");
        assertThat(source.read(ByteBuffer.allocate(0))).isZero();
        assertThat(source.validOps()).isEqualTo(SelectionKey.OP_READ);
        assertThat(sink.validOps()).isEqualTo(SelectionKey.OP_WRITE);
    }

    @Test
    void a_blocking_write_waits_for_the_reader_and_the_content_is_kept() throws Exception {
        ByteBuffer large = ByteBuffer.allocate(LARGE);
        for (int i = 0; i < LARGE; i++) {
            large.put(i, (byte) (i * 31));
        }
        Blocked writer =
                Blocked.run(
                        () -> {
                            int written = sink.write(large);
                            sink.close();
                            return written;
                        });
        ByteBuffer read = ByteBuffer.allocate(LARGE + 1);
        while (source.read(read) >= 0) {
            assertThat(read.hasRemaining()).isTrue();
        }
        assertThat(writer.result()).isEqualTo(LARGE);
        assertThat(read.flip()).isEqualTo(large.rewind());
    }

    @Test
    void one_end_learns_that_the_other_is_closed() throws Exception {
        sink.write(bytes("x"));
        sink.close();
        ByteBuffer into = ByteBuffer.allocate(2);
        assertThat(source.read(into)).isEqualTo(1);
        assertThat(source.read(into)).isEqualTo(-1);
        assertThatThrownBy(() -> sink.write(bytes("y")))
                .isExactlyInstanceOf(ClosedChannelException.class);
        Pipe second = net.provider().openPipe();
        second.source().close();
        assertThatThrownBy(() -> second.sink().write(bytes("y")))
                .isInstanceOf(IOException.class)
                .hasMessage("Broken pipe");
        second.sink().close();
    }

    @Test
    void closing_and_interrupting_wake_who_is_blocked() throws Exception {
        Blocked reader = Blocked.run(() -> source.read(ByteBuffer.allocate(1)));
        reader.awaitBlocked();
        source.close();
        assertThat(reader.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
        Pipe second = net.provider().openPipe();
        Blocked writer = Blocked.run(() -> second.sink().write(ByteBuffer.allocate(LARGE)));
        writer.awaitBlocked();
        writer.thread().interrupt();
        assertThat(writer.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
        assertThat(writer.wasInterrupted()).isTrue();
        second.source().close();
    }

    @Test
    void a_selector_tells_of_both_ends() throws Exception {
        try (Selector selector = net.provider().openSelector()) {
            source.configureBlocking(false);
            sink.configureBlocking(false);
            SelectionKey reading = source.register(selector, SelectionKey.OP_READ);
            assertThat(selector.selectNow()).isZero();
            assertThat(source.read(ByteBuffer.allocate(1))).isZero();
            Blocked selecting = Blocked.run(selector::select);
            selecting.awaitBlocked();
            sink.write(bytes("a"));
            assertThat(selecting.result()).isEqualTo(1);
            assertThat(reading.isReadable()).isTrue();
            selector.selectedKeys().clear();
            source.read(ByteBuffer.allocate(1));
            SelectionKey writing = sink.register(selector, SelectionKey.OP_WRITE);
            assertThat(selector.select()).isEqualTo(1);
            assertThat(writing.isWritable()).isTrue();
            selector.selectedKeys().clear();
            while (sink.write(ByteBuffer.allocate(4096)) > 0) {
                // Until it is full.
                Thread.onSpinWait();
            }
            reading.interestOps(0);
            assertThat(selector.selectNow()).isZero();
            while (source.read(ByteBuffer.allocate(LARGE)) > 0) {
                // Until it is empty.
                Thread.onSpinWait();
            }
            assertThat(selector.select()).isEqualTo(1);
            assertThat(writing.isWritable()).isTrue();
            writing.interestOps(0);
            reading.interestOps(SelectionKey.OP_READ);
            selector.selectedKeys().clear();
            sink.close();
            assertThat(selector.select()).isEqualTo(1);
            assertThat(reading.isReadable()).isTrue();
            assertThat(source.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    void a_small_write_is_not_torn() throws Exception {
        sink.configureBlocking(false);
        while (sink.write(ByteBuffer.allocate(4000)) == 4000) {
            Thread.onSpinWait();
        }
        assertThat(sink.write(ByteBuffer.allocate(4000))).isZero();
    }
}
