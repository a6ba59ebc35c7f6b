package dev.sluice.lab.packetdrill;

import dev.sluice.wire.IpAddress;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One connection of a script: its addresses, and the arithmetic between the numbers that the script
 * writes and those on the wire.
 *
 * <p>In segments with SYN a script writes sequence numbers as they are; in all others it counts
 * from the initial number of their direction, so that the first byte is 1. Acknowledgment numbers
 * and SACK blocks follow the flag of the segment they are in.
 */
final class Conversation {
    /** How far the connection has come, as far as the script shows it. */
    enum Phase {
        /** Socket made. */
        NEW,
        /** Waits for a segment from outside. */
        LISTENING,
        /** Connect was called; the next SYN is ours. */
        CONNECTING,
        /** The script showed our SYN. */
        SYN_SENT,
        /** The peer answered our SYN. */
        SYN_ACKED,
        /** A segment from outside began it. */
        PASSIVE,
        /** Our SYN-ACK was seen. */
        SYNACK_SENT,
        /** The peer acknowledged it. */
        SYNACK_ACKED
    }

    private final IpAddress localAddress;
    private final IpAddress remoteAddress;
    private int localPort;
    private int remotePort;
    private Phase phase;

    private long localScriptInitial;
    private long localLiveInitial;
    private long remoteInitial;

    private final Map<Long, Long> liveTimestamps = new HashMap<>();
    private boolean hasTimestamps;
    private long firstScriptTimestamp;
    private long firstLiveTimestamp;

    Conversation(IpAddress localAddress, IpAddress remoteAddress, Phase phase) {
        this.localAddress = localAddress;
        this.remoteAddress = remoteAddress;
        this.phase = phase;
    }

    IpAddress localAddress() {
        return localAddress;
    }

    IpAddress remoteAddress() {
        return remoteAddress;
    }

    int localPort() {
        return localPort;
    }

    int remotePort() {
        return remotePort;
    }

    Phase phase() {
        return phase;
    }

    void phase(Phase next) {
        phase = next;
    }

    void ports(int local, int remote) {
        localPort = local;
        remotePort = remote;
    }

    /** A segment from outside begins the connection. */
    void beginPassive(PacketSpec.Tcp segment) {
        phase = Phase.PASSIVE;
        remoteInitial = segment.sequence().start();
    }

    /** The script shows a SYN of ours; the wire's number is learned from the packet itself. */
    void expectSyn(PacketSpec.Tcp segment) {
        boolean active = phase == Phase.CONNECTING && !segment.has(TcpFlags.ACK);
        boolean passive = phase == Phase.PASSIVE && segment.has(TcpFlags.ACK);
        if (active || passive) {
            localScriptInitial = segment.sequence().start();
        }
        if (active) {
            phase = Phase.SYN_SENT;
        }
    }

    /** Takes note of a packet the script injects. */
    void injecting(PacketSpec.Tcp segment) {
        if (phase == Phase.SYNACK_SENT && segment.has(TcpFlags.ACK)) {
            phase = Phase.SYNACK_ACKED;
        } else if (phase == Phase.SYN_SENT && segment.has(TcpFlags.SYN)) {
            remoteInitial = segment.sequence().start();
            if (segment.has(TcpFlags.ACK)) {
                phase = Phase.SYN_ACKED;
            }
        }
    }

    /** Whether the packet has the ports of this conversation, which are known. */
    boolean has(LivePacket packet) {
        return packet.isTcp()
                && localPort != 0
                && packet.sourcePort() == localPort
                && packet.destinationPort() == remotePort;
    }

    /** Whether a packet of the stack belongs here; a first SYN of a connecting socket joins. */
    boolean adopts(LivePacket packet) {
        if (!packet.isTcp()
                || !packet.source().equals(localAddress)
                || !packet.destination().equals(remoteAddress)
                || packet.destinationPort() != remotePort) {
            return false;
        }
        boolean opens = packet.has(TcpFlags.SYN) && !packet.has(TcpFlags.ACK);
        if (phase == Phase.SYN_SENT && opens && packet.sourcePort() != localPort) {
            // The first attempt to connect, or another one after it was refused.
            localPort = packet.sourcePort();
            localLiveInitial = packet.sequence();
        }
        if (packet.sourcePort() != localPort) {
            return false;
        }
        if (phase == Phase.PASSIVE && packet.has(TcpFlags.SYN | TcpFlags.ACK)) {
            localLiveInitial = packet.sequence();
            phase = Phase.SYNACK_SENT;
        }
        return true;
    }

    /** The segment of a packet of the stack, in the script's numbers. */
    Segment toScript(LivePacket packet) {
        Segment live = packet.segment();
        boolean syn = live.has(TcpFlags.SYN);
        long sequenceOffset = (syn ? localScriptInitial : 0) - localLiveInitial;
        long ackOffset = syn ? 0 : -remoteInitial;
        return new Segment(
                live.timeNanos(),
                wrap(live.sequence() + sequenceOffset),
                live.length(),
                live.zeroPayload(),
                live.flags(),
                live.has(TcpFlags.ACK) ? wrap(live.ack() + ackOffset) : live.ack(),
                live.window(),
                live.urgent(),
                shiftBlocks(live.options(), ackOffset),
                live.trafficClass(),
                live.flowLabel(),
                live.hopLimit());
    }

    /** The wire's sequence number of a segment the script injects. */
    long liveSequence(PacketSpec.Tcp segment) {
        long start = segment.sequence().start();
        boolean absolute = segment.has(TcpFlags.SYN) || segment.sequence().absolute();
        return absolute ? start : wrap(start + remoteInitial);
    }

    /** The wire's acknowledgment number of a segment the script injects. */
    long liveAck(PacketSpec.Tcp segment) {
        long ack = segment.ack().orElse(0);
        return segment.has(TcpFlags.ACK) ? wrap(ack + localOffset(segment)) : ack;
    }

    /** The wire's sequence number of a segment of the stack that an ICMP message quotes. */
    long liveQuoted(long scriptSequence) {
        return wrap(scriptSequence + localLiveInitial);
    }

    private long localOffset(PacketSpec.Tcp segment) {
        return localLiveInitial - (segment.has(TcpFlags.SYN) ? localScriptInitial : 0);
    }

    /**
     * The options of a segment the script injects as they go on the wire: SACK blocks moved, echoed
     * timestamps replaced by those the stack sent.
     *
     * @throws ScriptFailure if the script echoes a timestamp that the stack never sent
     */
    List<OptionSpec> liveOptions(PacketSpec.Tcp segment, boolean scaledEchoReply) {
        List<OptionSpec> moved =
                shiftBlocks(segment.options().orElse(List.of()), localOffset(segment));
        if (!segment.has(TcpFlags.ACK)) {
            return moved;
        }
        List<OptionSpec> live = new ArrayList<>();
        for (OptionSpec option : moved) {
            live.add(
                    option instanceof OptionSpec.Timestamps timestamps
                            ? echo(segment, timestamps, scaledEchoReply)
                            : option);
        }
        return live;
    }

    private OptionSpec echo(
            PacketSpec.Tcp segment, OptionSpec.Timestamps timestamps, boolean scaledEchoReply) {
        long script = timestamps.echoReply();
        Long live = liveTimestamps.get(script);
        if (live == null && scaledEchoReply && hasTimestamps) {
            live = wrap(script - firstScriptTimestamp + firstLiveTimestamp);
        }
        if (live == null) {
            throw new ScriptFailure(
                    segment.position(), "the stack sent no TS val " + script + " to be echoed");
        }
        return new OptionSpec.Timestamps(timestamps.value(), live);
    }

    /** Remembers which live timestamp stands for the one the script shows. */
    void pairTimestamps(PacketSpec.Tcp expected, Segment actual) {
        Optional<OptionSpec.Timestamps> script =
                expected.options().flatMap(SegmentMatcher::timestamps);
        Optional<OptionSpec.Timestamps> live = SegmentMatcher.timestamps(actual.options());
        if (script.isEmpty() || live.isEmpty()) {
            return;
        }
        liveTimestamps.put(script.get().value(), live.get().value());
        if (!hasTimestamps) {
            hasTimestamps = true;
            firstScriptTimestamp = script.get().value();
            firstLiveTimestamp = live.get().value();
        }
    }

    /** What TS val must be on the wire if timestamps advance as the script shows them. */
    OptionalLong expectedTimestamp(PacketSpec.Tcp expected) {
        Optional<OptionSpec.Timestamps> script =
                expected.options().flatMap(SegmentMatcher::timestamps);
        return script.isPresent() && hasTimestamps
                ? OptionalLong.of(
                        wrap(script.get().value() - firstScriptTimestamp + firstLiveTimestamp))
                : OptionalLong.empty();
    }

    private static List<OptionSpec> shiftBlocks(List<OptionSpec> options, long offset) {
        List<OptionSpec> shifted = new ArrayList<>();
        for (OptionSpec option : options) {
            if (option instanceof OptionSpec.Sack sack) {
                List<OptionSpec.Block> blocks = new ArrayList<>();
                for (OptionSpec.Block block : sack.blocks()) {
                    blocks.add(
                            new OptionSpec.Block(
                                    wrap(block.left() + offset), wrap(block.right() + offset)));
                }
                shifted.add(new OptionSpec.Sack(blocks));
            } else {
                shifted.add(option);
            }
        }
        return shifted;
    }

    private static long wrap(long number) {
        return number & 0xffff_ffffL;
    }
}
