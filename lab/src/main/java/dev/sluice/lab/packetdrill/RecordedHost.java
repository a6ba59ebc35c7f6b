package dev.sluice.lab.packetdrill;

import dev.sluice.wire.IpAddress;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plays back what a real system sent when the original tool ran the same script, so that our
 * matching rules can be checked against that tool's verdict.
 *
 * <p>Only packets are checked: calls return what the script says, code blocks are not evaluated.
 */
final class RecordedHost implements Subject {
    private static final int TCP = LivePacket.PROTOCOL_TCP;

    private final List<ScriptResult.CapturedPacket> recorded;
    private final IpAddress local;
    private final List<LivePacket> sent = new ArrayList<>();

    private int next;
    private int nextInbound;
    private boolean aligned;
    private long offset;
    private int recordedRemotePort;
    private int scriptRemotePort;
    private Step.Call blocked;
    private long blockedEnd;

    /**
     * @param recorded in the order of their times, which may begin anywhere
     * @param local address of the system under test, which tells directions apart
     */
    RecordedHost(List<ScriptResult.CapturedPacket> recorded, IpAddress local) {
        this.recorded = List.copyOf(recorded);
        this.local = local;
    }

    private boolean isOutbound(ScriptResult.CapturedPacket packet) {
        return new LivePacket(0, packet.bytes()).source().equals(local);
    }

    /**
     * The recording's clock and the script's are brought together at the first thing that happens.
     */
    private void align(long now, long recordedNanos) {
        if (!aligned) {
            aligned = true;
            offset = now - recordedNanos;
        }
    }

    @Override
    public void apply(long now, ShellEffect effect) {
        if (effect instanceof ShellEffect.Unsupported unsupported) {
            throw new UnsupportedScriptException(
                    unsupported.position(), "the command " + unsupported.command());
        }
    }

    @Override
    public void deliver(long now, byte[] packet, int segmentSize) {
        while (nextInbound < recorded.size() && isOutbound(recorded.get(nextInbound))) {
            nextInbound++;
        }
        if (nextInbound == recorded.size()) {
            return;
        }
        ScriptResult.CapturedPacket original = recorded.get(nextInbound++);
        align(now, original.timeNanos());
        LivePacket theirs = new LivePacket(0, original.bytes());
        LivePacket ours = new LivePacket(0, packet);
        if (theirs.protocol() == TCP && ours.protocol() == TCP) {
            recordedRemotePort = theirs.sourcePort();
            scriptRemotePort = ours.sourcePort();
        }
    }

    @Override
    public void advance(long now) {
        while (next < recorded.size() && aligned && time(next) <= now) {
            ScriptResult.CapturedPacket packet = recorded.get(next++);
            if (isOutbound(packet)) {
                byte[] bytes = withScriptPort(packet.bytes());
                sent.add(new LivePacket(Math.max(0, packet.timeNanos() + offset), bytes));
            }
        }
    }

    private long time(int index) {
        return recorded.get(index).timeNanos() + offset;
    }

    /**
     * The tool chose a remote port of its own, which is replaced by the one this run uses. The
     * checksum is made anew: captured in front of the device, it may not be complete.
     */
    private byte[] withScriptPort(byte[] original) {
        byte[] bytes = original.clone();
        LivePacket packet = new LivePacket(0, bytes);
        int transport = packet.transportOffset();
        if (!packet.isComplete() || packet.protocol() != TCP) {
            return bytes;
        }
        if (packet.destinationPort() == recordedRemotePort) {
            Bytes.put16(bytes, transport + 2, scriptRemotePort);
        }
        Bytes.put16(bytes, transport + 16, 0);
        long sum = Bytes.sum(bytes, transport, bytes.length - transport);
        sum +=
                Bytes.pseudoHeaderSum(
                        packet.source(), packet.destination(), TCP, bytes.length - transport);
        Bytes.put16(bytes, transport + 16, Bytes.checksum(sum));
        return bytes;
    }

    @Override
    public long nextDeadline() {
        int index = next;
        while (index < recorded.size() && !isOutbound(recorded.get(index))) {
            index++;
        }
        long packet = !aligned || index == recorded.size() ? NEVER : time(index);
        return blocked == null ? packet : Math.min(packet, blockedEnd);
    }

    @Override
    public LivePacket takePacket() {
        return sent.isEmpty() ? null : sent.removeFirst();
    }

    @Override
    public Outcome call(long now, Step.Call call) {
        boolean connects = call.name().equals("connect") || call.name().equals("sendto");
        if (connects && !recorded.isEmpty() && isOutbound(recorded.getFirst())) {
            align(now, recorded.getFirst().timeNanos());
        }
        if (call.blockingEndNanos().isPresent()) {
            long begin = TimeRules.span(call.time(), 0).earliest();
            blocked = call;
            blockedEnd = now + call.blockingEndNanos().getAsLong() - begin;
            return blockedEnd > now ? Outcome.BLOCKED : returned(call);
        }
        return returned(call);
    }

    @Override
    public Outcome retry(long now) {
        return now < blockedEnd ? Outcome.BLOCKED : returned(blocked);
    }

    private Outcome returned(Step.Call call) {
        blocked = null;
        long result = call.result() instanceof Expression.Any ? 0 : Symbols.value(call.result());
        int errno = call.errno().map(name -> Errno.number(name, call.position())).orElse(0);
        return new Outcome(false, result, errno, List.of());
    }

    @Override
    public Optional<Map<String, Long>> information(long now, int descriptor, Position position) {
        return Optional.empty();
    }

    @Override
    public void close() {}
}
