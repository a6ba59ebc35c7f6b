package dev.sluice.lab.packetdrill;

import dev.sluice.wire.IpAddress;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sockets and connections of a script, and which of them its packets belong to.
 *
 * <p>One is under test at a time: the socket made last, or the connection that a segment to a
 * listening socket under test began. All packets are its packets.
 */
final class Connections {
    private static final int FIRST_REMOTE_PORT = 50_000;
    private static final int NO_DESCRIPTOR = -1;

    private final IpAddress localAddress;
    private final IpAddress remoteAddress;
    private final ScriptFlags flags;
    private final List<Conversation> all = new ArrayList<>();
    private final Map<Integer, Conversation> byDescriptor = new TreeMap<>();
    private Conversation underTest;
    private int nextRemotePort = FIRST_REMOTE_PORT;

    Connections(IpAddress localAddress, IpAddress remoteAddress, ScriptFlags flags) {
        this.localAddress = localAddress;
        this.remoteAddress = remoteAddress;
        this.flags = flags;
    }

    /** The connection an injected packet belongs to, which it may begin. */
    Conversation forInjected(PacketSpec packet, Position position) {
        boolean begins = underTest == null || underTest.phase() == Conversation.Phase.LISTENING;
        if (begins && packet instanceof PacketSpec.Tcp tcp) {
            Conversation child =
                    new Conversation(localAddress, remoteAddress, Conversation.Phase.PASSIVE);
            child.ports(flags.bindPort(), nextRemotePort++);
            child.beginPassive(tcp);
            all.add(child);
            underTest = child;
        }
        return required(position);
    }

    /** The connection an expected packet belongs to. */
    Conversation forExpected(PacketSpec.Tcp packet, Position position) {
        Conversation conversation = required(position);
        if (packet.has(TcpFlags.SYN)) {
            conversation.expectSyn(packet);
        }
        return conversation;
    }

    /** Whether a packet of the stack belongs to this conversation and not to an older one. */
    boolean belongs(LivePacket packet, Conversation conversation) {
        for (Conversation other : all) {
            if (other != conversation && other.has(packet)) {
                return false;
            }
        }
        return conversation.adopts(packet);
    }

    private Conversation required(Position position) {
        if (underTest == null) {
            throw new ScriptFailure(position, "there is no socket this packet could belong to");
        }
        return underTest;
    }

    /** The script's number of the socket under test. */
    int descriptor(Position position) {
        for (Map.Entry<Integer, Conversation> entry : byDescriptor.entrySet()) {
            if (entry.getValue() == underTest) {
                return entry.getKey();
            }
        }
        throw new ScriptFailure(position, "the connection under test has no socket yet");
    }

    /** A call that connects makes the next SYN its own. */
    void beforeCall(Step.Call call) {
        Conversation conversation = byDescriptor.get(firstArgument(call));
        boolean connects =
                switch (call.name()) {
                    case "connect" -> true;
                    case "sendto", "sendmsg" -> true;
                    default -> false;
                };
        if (connects && conversation != null && conversation.phase() == Conversation.Phase.NEW) {
            conversation.ports(0, flags.connectPort());
            conversation.phase(Conversation.Phase.CONNECTING);
        }
    }

    /** Takes note of what a call made. */
    void afterCall(Step.Call call, Subject.Outcome outcome) {
        if (outcome.result() < 0) {
            return;
        }
        switch (call.name()) {
            case "socket" -> {
                Conversation made =
                        new Conversation(localAddress, remoteAddress, Conversation.Phase.NEW);
                all.add(made);
                byDescriptor.put((int) outcome.result(), made);
                underTest = made;
            }
            case "listen" -> {
                Conversation listener = byDescriptor.get(firstArgument(call));
                if (listener != null) {
                    listener.phase(Conversation.Phase.LISTENING);
                }
            }
            case "accept", "accept4" -> accepted((int) outcome.result());
            case "close" -> all.remove(byDescriptor.remove(firstArgument(call)));
            default -> {}
        }
    }

    /** The oldest connection whose handshake the script showed and that has no socket yet. */
    private void accepted(int descriptor) {
        for (Conversation candidate : all) {
            boolean ready =
                    candidate.phase() == Conversation.Phase.SYNACK_SENT
                            || candidate.phase() == Conversation.Phase.SYNACK_ACKED;
            if (ready && !byDescriptor.containsValue(candidate)) {
                byDescriptor.put(descriptor, candidate);
                return;
            }
        }
    }

    private static int firstArgument(Step.Call call) {
        boolean number =
                !call.arguments().isEmpty()
                        && call.arguments().getFirst() instanceof Expression.Number;
        return number
                ? (int) ((Expression.Number) call.arguments().getFirst()).value()
                : NO_DESCRIPTOR;
    }
}
