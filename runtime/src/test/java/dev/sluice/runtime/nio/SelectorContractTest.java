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

import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** What {@code Selector} and {@code SelectionKey} promise. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Net.class)
class SelectorContractTest {
    private static final int READ = SelectionKey.OP_READ;
    private static final int WRITE = SelectionKey.OP_WRITE;

    @Parameter Net kind;

    private Net.Open net;
    private Selector selector;
    private Net.Pair pair;

    @BeforeEach
    void open() throws Exception {
        net = kind.open();
        selector = net.provider().openSelector();
        pair = net.connect();
        pair.client().configureBlocking(false);
    }

    @AfterEach
    void close() throws Exception {
        selector.close();
        pair.close();
        net.close();
    }

    private SelectionKey register(int ops) throws Exception {
        return pair.client().register(selector, ops);
    }

    private void send(String text) throws Exception {
        pair.server().write(ByteBuffer.wrap(text.getBytes()));
    }

    private int receive(int atMost) throws Exception {
        return pair.client().read(ByteBuffer.allocate(atMost));
    }

    // ---- registration ------------------------------------------------------------------------

    @Test
    void a_key_knows_what_it_was_made_from() throws Exception {
        Object attachment = new Object();
        SelectionKey key = pair.client().register(selector, READ, attachment);
        assertThat(key.channel()).isSameAs(pair.client());
        assertThat(key.selector()).isSameAs(selector);
        assertThat(key.attachment()).isSameAs(attachment);
        assertThat(key.interestOps()).isEqualTo(READ);
        assertThat(key.readyOps()).isZero();
        assertThat(key.isValid()).isTrue();
        assertThat(selector.keys()).containsExactly(key);
        assertThat(selector.selectedKeys()).isEmpty();
        assertThat(pair.client().isRegistered()).isTrue();
        assertThat(pair.client().keyFor(selector)).isSameAs(key);
        assertThat(selector.provider()).isSameAs(pair.client().provider());
    }

    @Test
    void registering_again_changes_interest_and_attachment_of_the_same_key() throws Exception {
        SelectionKey key = pair.client().register(selector, READ, "first");
        assertThat(pair.client().register(selector, WRITE, "second")).isSameAs(key);
        assertThat(key.interestOps()).isEqualTo(WRITE);
        assertThat(key.attachment()).isEqualTo("second");
        assertThat(selector.keys()).hasSize(1);
    }

    @Test
    void registering_has_its_exceptions() throws Exception {
        assertThatThrownBy(() -> pair.server().register(selector, READ))
                .isInstanceOf(IllegalBlockingModeException.class);
        assertThatThrownBy(() -> register(SelectionKey.OP_ACCEPT))
                .isInstanceOf(IllegalArgumentException.class);
        SelectionKey key = register(READ);
        assertThatThrownBy(() -> key.interestOps(SelectionKey.OP_ACCEPT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pair.client().configureBlocking(true))
                .isInstanceOf(IllegalBlockingModeException.class);
        key.cancel();
        assertThatThrownBy(() -> register(READ)).isInstanceOf(CancelledKeyException.class);
        selector.selectNow();
        assertThat(register(READ)).isNotSameAs(key);
        pair.client().close();
        assertThatThrownBy(() -> register(READ)).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void a_selector_takes_channels_of_its_own_provider_only() throws Exception {
        SelectorProvider other =
                kind == Net.KERNEL
                        ? new StackSelectorProvider(List.of(new Host(null, null)))
                        : Net.KERNEL.open().provider();
        try (Selector stranger = other.openSelector()) {
            assertThatThrownBy(() -> pair.client().register(stranger, READ))
                    .isInstanceOf(IllegalSelectorException.class);
        }
    }

    @Test
    void a_channel_may_be_in_several_selectors() throws Exception {
        try (Selector second = net.provider().openSelector()) {
            register(READ);
            pair.client().register(second, READ);
            send("a");
            assertThat(selector.select()).isEqualTo(1);
            assertThat(second.select()).isEqualTo(1);
        }
    }

    // ---- readiness ---------------------------------------------------------------------------

    @Test
    void readiness_is_level_triggered() throws Exception {
        SelectionKey key = register(READ);
        assertThat(selector.selectNow()).isZero();
        send("abc");
        assertThat(selector.select()).isEqualTo(1);
        assertThat(key.isReadable()).isTrue();
        assertThat(key.readyOps()).isEqualTo(READ);
        for (int i = 0; i < 2; i++) {
            selector.selectedKeys().clear();
            assertThat(receive(1)).isEqualTo(1);
            assertThat(selector.select()).isEqualTo(1);
        }
        selector.selectedKeys().clear();
        assertThat(receive(1)).isEqualTo(1);
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.selectedKeys()).isEmpty();
        send("d");
        assertThat(selector.select()).isEqualTo(1);
    }

    @Test
    void a_key_that_stays_selected_is_not_counted_again_and_keeps_its_ready_set() throws Exception {
        SelectionKey key = register(READ);
        send("a");
        assertThat(selector.select()).isEqualTo(1);
        assertThat(selector.select()).isZero();
        key.interestOps(WRITE);
        assertThat(selector.select()).isEqualTo(1);
        assertThat(key.readyOps()).isEqualTo(READ | WRITE);
        selector.selectedKeys().remove(key);
        assertThat(selector.select()).isEqualTo(1);
        assertThat(key.readyOps()).isEqualTo(WRITE);
    }

    @Test
    void only_what_is_of_interest_is_ready() throws Exception {
        SelectionKey key = register(0);
        send("a");
        try (Selector other = net.provider().openSelector()) {
            pair.client().register(other, READ);
            other.select();
        }
        assertThat(selector.selectNow()).isZero();
        key.interestOps(READ);
        assertThat(selector.selectNow()).isEqualTo(1);
        selector.selectedKeys().clear();
        assertThat(key.interestOpsOr(WRITE)).isEqualTo(READ);
        assertThat(key.interestOps()).isEqualTo(READ | WRITE);
        assertThat(selector.selectNow()).isEqualTo(1);
        assertThat(key.readyOps()).isEqualTo(READ | WRITE);
        selector.selectedKeys().clear();
        assertThat(key.interestOpsAnd(~READ)).isEqualTo(READ | WRITE);
        assertThat(selector.selectNow()).isEqualTo(1);
        assertThat(key.readyOps()).isEqualTo(WRITE);
    }

    @Test
    void a_channel_is_writable_until_it_is_full_and_again_when_the_peer_has_read()
            throws Exception {
        SelectionKey key = register(WRITE);
        assertThat(selector.select()).isEqualTo(1);
        assertThat(key.isWritable()).isTrue();
        ByteBuffer chunk = ByteBuffer.allocate(1 << 16);
        long written = 0;
        while (true) {
            int n = pair.client().write(chunk.clear());
            written += n;
            selector.selectedKeys().clear();
            if (n == 0 && selector.selectNow() == 0) {
                break;
            }
        }
        long total = written;
        Blocked reader =
                Blocked.run(
                        () -> {
                            long left = total;
                            ByteBuffer into = ByteBuffer.allocate(1 << 16);
                            while (left > 0) {
                                left -= pair.server().read(into.clear());
                            }
                            return left;
                        });
        assertThat(selector.select()).isEqualTo(1);
        assertThat(key.isWritable()).isTrue();
        assertThat(reader.result()).isEqualTo(0L);
    }

    @Test
    void the_end_of_the_stream_and_a_reset_are_readable() throws Exception {
        SelectionKey key = register(READ);
        pair.server().shutdownOutput();
        assertThat(selector.select()).isEqualTo(1);
        assertThat(key.isReadable()).isTrue();
        assertThat(receive(1)).isEqualTo(-1);
        try (Net.Pair second = net.connect();
                Selector other = net.provider().openSelector()) {
            second.client().configureBlocking(false);
            SelectionKey reset = second.client().register(other, READ | WRITE);
            second.server().setOption(java.net.StandardSocketOptions.SO_LINGER, 0);
            second.server().close();
            while (!reset.isReadable()) {
                other.select();
            }
            assertThat(reset.readyOps()).isEqualTo(READ | WRITE);
        }
    }

    @Test
    void a_listener_is_ready_while_connections_wait() throws Exception {
        try (ServerSocketChannel listener = net.listen();
                SocketChannel first = net.provider().openSocketChannel();
                SocketChannel second = net.provider().openSocketChannel()) {
            listener.configureBlocking(false);
            SelectionKey key = listener.register(selector, SelectionKey.OP_ACCEPT);
            assertThat(selector.selectNow()).isZero();
            first.connect(listener.getLocalAddress());
            second.connect(listener.getLocalAddress());
            for (int i = 0; i < 2; i++) {
                assertThat(selector.select()).isEqualTo(1);
                assertThat(key.isAcceptable()).isTrue();
                selector.selectedKeys().clear();
                SocketChannel accepted = listener.accept();
                assertThat(accepted).isNotNull();
                accepted.close();
            }
            assertThat(listener.accept()).isNull();
            assertThat(selector.selectNow()).isZero();
        }
    }

    @Test
    void connecting_is_ready_when_it_has_succeeded_or_failed() throws Exception {
        try (ServerSocketChannel listener = net.listen();
                SocketChannel good = net.provider().openSocketChannel();
                SocketChannel bad = net.provider().openSocketChannel()) {
            good.configureBlocking(false);
            SelectionKey key = good.register(selector, SelectionKey.OP_CONNECT);
            if (!good.connect(listener.getLocalAddress())) {
                while (!key.isConnectable()) {
                    selector.select();
                }
                assertThat(good.finishConnect()).isTrue();
            }
            selector.selectedKeys().clear();
            key.interestOps(WRITE);
            assertThat(selector.select()).isEqualTo(1);
            assertThat(key.readyOps()).isEqualTo(WRITE);
            key.cancel();
            bad.configureBlocking(false);
            SelectionKey failing = bad.register(selector, SelectionKey.OP_CONNECT);
            assertThatThrownBy(
                            () -> {
                                bad.connect(net.nobody());
                                while (!failing.isConnectable()) {
                                    selector.select();
                                }
                                bad.finishConnect();
                            })
                    .isInstanceOf(ConnectException.class)
                    .hasMessage("Connection refused");
            assertThat(failing.isValid()).isFalse();
        }
    }

    // ---- selecting ---------------------------------------------------------------------------

    @Test
    void the_key_sets_are_what_they_promise() throws Exception {
        SelectionKey key = register(READ);
        send("a");
        selector.select();
        Set<SelectionKey> selected = selector.selectedKeys();
        assertThat(selected).isSameAs(selector.selectedKeys()).containsExactly(key);
        assertThatThrownBy(() -> selected.add(key))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> selected.addAll(List.of(key)))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> selector.keys().remove(key))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> selector.keys().clear())
                .isInstanceOf(UnsupportedOperationException.class);
        Iterator<SelectionKey> i = selected.iterator();
        assertThat(i.next()).isSameAs(key);
        i.remove();
        assertThat(selected).isEmpty();
        selector.select();
        Iterator<SelectionKey> stale = selected.iterator();
        selected.remove(key);
        selector.selectNow();
        assertThatThrownBy(
                        () -> {
                            stale.next();
                            stale.next();
                        })
                .isInstanceOfAny(
                        ConcurrentModificationException.class,
                        java.util.NoSuchElementException.class);
    }

    @Test
    void an_action_is_performed_for_each_ready_key() throws Exception {
        SelectionKey key = register(READ | WRITE);
        List<SelectionKey> told = new ArrayList<>();
        assertThat(selector.select(told::add)).isEqualTo(1);
        assertThat(selector.selectNow(told::add)).isEqualTo(1);
        assertThat(selector.select(told::add, 1000)).isEqualTo(1);
        assertThat(told).containsExactly(key, key, key);
        assertThat(selector.selectedKeys()).isEmpty();
        assertThatThrownBy(() -> selector.select(told::add, -1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> selector.select(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(
                        () ->
                                selector.select(
                                        k -> {
                                            throw new IllegalStateException("mine");
                                        }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("mine");
    }

    @Test
    void a_timeout_ends_a_selection() throws Exception {
        register(READ);
        assertThat(selector.select(1)).isZero();
        assertThatThrownBy(() -> selector.select(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void wakeup_ends_the_selection_that_runs_or_the_next_one() throws Exception {
        register(READ);
        Blocked selecting = Blocked.run(selector::select);
        selecting.awaitBlocked();
        assertThat(selector.wakeup()).isSameAs(selector);
        assertThat(selecting.result()).isEqualTo(0);
        selector.wakeup();
        selector.wakeup();
        assertThat(selector.select()).isZero();
        selector.wakeup();
        assertThat(selector.selectNow()).isZero();
        Blocked again = Blocked.run(selector::select);
        again.awaitBlocked();
        assertThat(again.isDone()).as("selectNow took the wake-up").isFalse();
        send("a");
        assertThat(again.result()).isEqualTo(1);
    }

    @Test
    void an_interrupt_ends_a_selection_and_is_kept() throws Exception {
        register(READ);
        Blocked selecting = Blocked.run(selector::select);
        selecting.awaitBlocked();
        selecting.thread().interrupt();
        assertThat(selecting.result()).isEqualTo(0);
        assertThat(selecting.wasInterrupted()).isTrue();
        assertThat(selector.isOpen()).isTrue();
        Blocked interrupted =
                Blocked.run(
                        () -> {
                            Thread.currentThread().interrupt();
                            return selector.select();
                        });
        assertThat(interrupted.result()).isEqualTo(0);
        assertThat(interrupted.wasInterrupted()).isTrue();
    }

    @Test
    void a_virtual_thread_selects_too() throws Exception {
        register(READ);
        Blocked selecting = Blocked.runVirtual(selector::select);
        selecting.awaitBlocked();
        send("a");
        assertThat(selecting.result()).isEqualTo(1);
        selector.selectedKeys().clear();
        receive(1);
        Blocked second = Blocked.runVirtual(selector::select);
        second.awaitBlocked();
        second.thread().interrupt();
        assertThat(second.result()).isEqualTo(0);
        assertThat(second.wasInterrupted()).isTrue();
    }

    @Test
    void a_channel_may_be_registered_while_a_selection_runs() throws Exception {
        Blocked selecting = Blocked.run(selector::select);
        selecting.awaitBlocked();
        register(READ | WRITE);
        selector.wakeup();
        selecting.result();
        assertThat(selector.selectNow() + selector.selectedKeys().size()).isPositive();
    }

    // ---- cancelling --------------------------------------------------------------------------

    @Test
    void a_cancelled_key_is_invalid_at_once_and_gone_after_the_next_selection() throws Exception {
        SelectionKey key = register(READ);
        send("a");
        selector.select();
        key.cancel();
        key.cancel();
        assertThat(key.isValid()).isFalse();
        assertThatThrownBy(key::interestOps).isInstanceOf(CancelledKeyException.class);
        assertThatThrownBy(() -> key.interestOps(READ)).isInstanceOf(CancelledKeyException.class);
        assertThatThrownBy(() -> key.interestOpsOr(READ)).isInstanceOf(CancelledKeyException.class);
        assertThatThrownBy(() -> key.interestOpsAnd(READ))
                .isInstanceOf(CancelledKeyException.class);
        assertThatThrownBy(key::readyOps).isInstanceOf(CancelledKeyException.class);
        assertThatThrownBy(key::isReadable).isInstanceOf(CancelledKeyException.class);
        assertThat(selector.keys()).containsExactly(key);
        assertThat(selector.selectedKeys()).containsExactly(key);
        assertThat(pair.client().isRegistered()).isTrue();
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.keys()).isEmpty();
        assertThat(selector.selectedKeys()).isEmpty();
        assertThat(pair.client().isRegistered()).isFalse();
        assertThat(pair.client().keyFor(selector)).isNull();
        assertThat(key.channel()).isSameAs(pair.client());
        assertThat(key.selector()).isSameAs(selector);
        pair.client().configureBlocking(true);
        assertThat(receive(1)).isEqualTo(1);
    }

    @Test
    void a_key_cancelled_during_a_selection_is_gone_when_that_returns() throws Exception {
        SelectionKey key = register(READ);
        Blocked selecting = Blocked.run(selector::select);
        selecting.awaitBlocked();
        key.cancel();
        selector.wakeup();
        selecting.result();
        assertThat(selector.keys()).isEmpty();
    }

    @Test
    void closing_a_channel_cancels_its_keys() throws Exception {
        SelectionKey key = register(READ);
        send("a");
        selector.select();
        pair.client().close();
        assertThat(key.isValid()).isFalse();
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.keys()).isEmpty();
        assertThat(selector.selectedKeys()).isEmpty();
    }

    @Test
    void a_channel_closed_during_a_selection_does_not_disturb_it() throws Exception {
        SelectionKey key = register(READ);
        try (Net.Pair second = net.connect()) {
            second.client().configureBlocking(false);
            SelectionKey other = second.client().register(selector, READ);
            Blocked selecting = Blocked.run(selector::select);
            selecting.awaitBlocked();
            pair.client().close();
            second.server().write(ByteBuffer.allocate(1));
            assertThat(selecting.result()).isEqualTo(1);
            assertThat(selector.selectedKeys()).containsExactly(other);
            assertThat(selector.keys()).containsExactly(other);
            assertThat(key.isValid()).isFalse();
        }
    }

    @Test
    void the_peer_of_a_registered_channel_learns_of_its_close_at_once() throws Exception {
        register(READ);
        pair.client().close();
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    // ---- closing the selector ----------------------------------------------------------------

    @Test
    void closing_wakes_a_selection_and_deregisters_everything() throws Exception {
        SelectionKey key = register(READ);
        Blocked selecting = Blocked.run(selector::select);
        selecting.awaitBlocked();
        selector.close();
        selector.close();
        Object outcome;
        try {
            outcome = selecting.result();
            assertThat(outcome).isEqualTo(0);
        } catch (AssertionError e) {
            assertThat(e.getCause()).isInstanceOf(ClosedSelectorException.class);
        }
        assertThat(selector.isOpen()).isFalse();
        assertThat(key.isValid()).isFalse();
        assertThat(pair.client().isRegistered()).isFalse();
        assertThat(pair.client().isOpen()).isTrue();
        assertThatThrownBy(selector::select).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(selector::selectNow).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(() -> selector.select(1)).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(selector::keys).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(selector::selectedKeys).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(() -> register(READ)).isInstanceOf(ClosedSelectorException.class);
        assertThat(selector.wakeup()).isSameAs(selector);
    }
}
