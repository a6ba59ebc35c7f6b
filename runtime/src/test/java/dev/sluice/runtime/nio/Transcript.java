package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What calls answered, in a form that is the same wherever they were made: results, or exceptions
 * with their messages, with addresses and ports replaced by names.
 */
final class Transcript {
    private final Map<String, String> names = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();

    interface Story {
        void tell(Transcript t, Net.Open net) throws Exception;
    }

    /** What the JDK on the kernel answers, line by line, is what we answer. */
    static void isTheSameOnBoth(Story story) throws Exception {
        List<String> kernel = tell(Net.KERNEL, story);
        List<String> stacks = tell(Net.STACKS, story);
        assertThat(stacks).hasSameSizeAs(kernel).isNotEmpty();
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < kernel.size(); i++) {
            if (!kernel.get(i).equals(stacks.get(i))) {
                differences.add(kernel.get(i) + " | but was | " + stacks.get(i));
            }
        }
        assertThat(differences).isEmpty();
    }

    private static List<String> tell(Net kind, Story story) throws Exception {
        Transcript transcript = new Transcript();
        try (Net.Open net = kind.open()) {
            story.tell(transcript, net);
        }
        return transcript.lines();
    }

    interface Call {
        Object run() throws Exception;
    }

    interface Action {
        void run() throws Exception;
    }

    /** From here on that text is shown as {@code name}. */
    void name(Object text, String name) {
        names.put(text.toString(), name);
    }

    void call(String what, Call call) {
        String outcome;
        try {
            outcome = String.valueOf(call.run());
        } catch (Exception e) {
            outcome = e.toString();
        }
        for (Map.Entry<String, String> name : names.entrySet()) {
            outcome = outcome.replace(name.getKey(), name.getValue());
        }
        lines.add(what + ": " + outcome);
    }

    void run(String what, Action action) {
        call(
                what,
                () -> {
                    action.run();
                    return "done";
                });
    }

    List<String> lines() {
        return lines;
    }

    /** All that a socket says about itself. */
    void describe(String when, Socket s) {
        call(when + " toString", s::toString);
        call(when + " isBound", s::isBound);
        call(when + " isConnected", s::isConnected);
        call(when + " isClosed", s::isClosed);
        call(when + " isInputShutdown", s::isInputShutdown);
        call(when + " isOutputShutdown", s::isOutputShutdown);
        call(when + " getInetAddress", s::getInetAddress);
        call(when + " getPort", s::getPort);
        call(when + " getLocalAddress", s::getLocalAddress);
        call(when + " getLocalPort", s::getLocalPort);
        call(when + " getRemoteSocketAddress", s::getRemoteSocketAddress);
        call(when + " getLocalSocketAddress", s::getLocalSocketAddress);
        call(when + " getChannel", () -> s.getChannel() != null);
        call(when + " getSoTimeout", s::getSoTimeout);
        call(when + " getTcpNoDelay", s::getTcpNoDelay);
        call(when + " getSoLinger", s::getSoLinger);
        call(when + " getOOBInline", s::getOOBInline);
        call(when + " getKeepAlive", s::getKeepAlive);
        call(when + " getTrafficClass", s::getTrafficClass);
        call(when + " getReuseAddress", s::getReuseAddress);
        call(when + " getInputStream", () -> s.getInputStream() != null);
        call(when + " getOutputStream", () -> s.getOutputStream() != null);
    }

    void describe(String when, ServerSocket s) {
        call(when + " toString", s::toString);
        call(when + " isBound", s::isBound);
        call(when + " isClosed", s::isClosed);
        call(when + " getInetAddress", s::getInetAddress);
        call(when + " getLocalPort", s::getLocalPort);
        call(when + " getLocalSocketAddress", s::getLocalSocketAddress);
        call(when + " getChannel", () -> s.getChannel() != null);
        call(when + " getSoTimeout", s::getSoTimeout);
        call(when + " getReuseAddress", s::getReuseAddress);
    }
}
