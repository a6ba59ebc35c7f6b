package dev.sluice.lab.packetdrill;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.BlockPool;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.seed.Rng;
import dev.sluice.socket.StreamSocket;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpInfo;
import dev.sluice.trace.Counter;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.Checksum;
import dev.sluice.wire.IpAddress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A host that runs our stack, with one interface whose packets the script sees. The stack is made
 * when the script first uses it, so that settings before that are part of its configuration.
 */
final class SluiceHost implements Subject {
    private static final long SEED = 1;
    private static final int IPV4_PREFIX = 16;
    private static final int IPV6_PREFIX = 64;
    private static final int FAST_OPEN_KEY_BYTES = 16;
    private static final int HEADROOM = 64;

    /** Linux's {@code txqueuelen}. */
    private static final int QUEUE_LENGTH = 1000;

    private static final int TCP_CHECKSUM_OFFSET = 16;

    /** Our name for what Linux has as an attribute of routes. */
    private static final String INITIAL_WINDOW = "net.stack.tcp_initial_cwnd";

    private final ScriptFlags flags;
    private final StackSettings settings;
    private final Deque<LivePacket> sent = new ArrayDeque<>();

    private PacketPool packets;
    private BlockPool blocks;
    private NetworkStack stack;
    private Interface device;
    private SocketCalls calls;
    private long[] counterBase;

    private int mtu;
    private int advertisedMss;
    private OptionalInt queueLimit = OptionalInt.empty();
    private boolean paces;
    private final Map<String, Long> files = new HashMap<>();

    SluiceHost(ScriptFlags flags, Personality personality) {
        this.flags = flags;
        this.settings = new StackSettings(personality);
        this.mtu = Addresses.mtu(flags);
    }

    private void start() {
        if (stack != null) {
            return;
        }
        StackConfig config = settings.build();
        packets = new PacketPool(config.packetPoolBytes);
        blocks = new BlockPool(config.blockBytes, config.blockPoolBytes);
        stack = new NetworkStack(config, packets, blocks, new Rng(SEED), StackObserver.NONE);
        device = stack.addInterface("tun0", mtu);
        IpAddress local = Addresses.local(flags);
        device.addAddress(local, local.isIpv4() ? IPV4_PREFIX : IPV6_PREFIX);
        stack.addRoute(local.isIpv4() ? IpAddress.ANY4 : IpAddress.ANY6, 0, device);
        device.offloads(false, false);
        device.transmitsAtOnce(true);
        device.paces(paces);
        device.queueLimit(queueLimit.orElse(QUEUE_LENGTH));
        if (advertisedMss > 0) {
            device.lockedMss(advertisedMss);
        }
        if (settings.hasZeroFastOpenKey()) {
            stack.tcp().fastOpenKeys(new byte[FAST_OPEN_KEY_BYTES]);
        }
        calls = new SocketCalls(stack, flags);
        files.forEach(calls.transfers()::createFile);
        counterBase = stack.counters().snapshot();
    }

    // ---- shell commands ----------------------------------------------------------------------

    @Override
    public void apply(long now, ShellEffect effect) {
        switch (effect) {
            case ShellEffect.LoadDefaults defaults -> settings.loadDefaults(defaults.position());
            case ShellEffect.SetSysctl setting -> setSysctl(setting);
            case ShellEffect.RestoreSysctls restore -> {}
            case ShellEffect.ResetCounters reset -> resetCounters();
            case ShellEffect.ExpectCounter expected -> expectCounter(expected);
            case ShellEffect.SetQdisc qdisc -> setQdisc(qdisc);
            case ShellEffect.SetRoute route -> setRoute(route);
            case ShellEffect.SetDeviceMtu link -> setMtu(link.mtu());
            case ShellEffect.FlushMetrics flush -> flushMetrics();
            case ShellEffect.SetOffload offload -> setOffload(offload);
            case ShellEffect.CreateFile file -> createFile(file);
            case ShellEffect.RemoveFile file -> removeFile(file);
            case ShellEffect.SetModuleParameter parameter -> setModuleParameter(parameter);
            case ShellEffect.ExpectSockets expected -> expectSockets(expected);
            case ShellEffect.DropConnections drop -> dropConnections(drop);
            case ShellEffect.OrElse either -> either(now, either);
            case ShellEffect.Unsupported unsupported ->
                    throw new UnsupportedScriptException(
                            unsupported.position(),
                            "the command '"
                                    + unsupported.command()
                                    + "'"
                                    + unsupported.reason().map(r -> ": " + r).orElse(""));
        }
    }

    private void setSysctl(ShellEffect.SetSysctl setting) {
        if (settings.set(setting) && stack != null) {
            stack.configure(settings.build());
        }
    }

    private void flushMetrics() {
        if (stack != null) {
            stack.tcp().forgetFastOpenCookies();
        }
    }

    private void dropConnections(ShellEffect.DropConnections drop) {
        if (!drop.state().equals("TIME_WAIT")) {
            throw new UnsupportedScriptException(
                    drop.position(), "dropping connections in " + drop.state());
        }
        if (stack != null) {
            stack.tcp().timeWait().clear();
        }
    }

    private void either(long now, ShellEffect.OrElse either) {
        try {
            either.first().forEach(effect -> apply(now, effect));
        } catch (UnsupportedScriptException first) {
            either.otherwise().forEach(effect -> apply(now, effect));
        }
    }

    private void resetCounters() {
        if (stack != null) {
            counterBase = stack.counters().snapshot();
        }
    }

    private void expectCounter(ShellEffect.ExpectCounter expected) {
        Counter counter = Counter.ofNstatName(expected.name());
        if (counter == null) {
            throw new UnsupportedScriptException(
                    expected.position(), "the counter " + expected.name());
        }
        start();
        long moved = stack.counters().get(counter) - counterBase[counter.ordinal()];
        counterBase = stack.counters().snapshot();
        boolean right =
                expected.value().isEmpty() ? moved > 0 : moved == expected.value().getAsLong();
        if (!right) {
            String wanted =
                    expected.value().isEmpty() ? "to move" : "by " + expected.value().getAsLong();
            throw new ScriptFailure(
                    expected.position(),
                    expected.name() + ": expected " + wanted + ", moved by " + moved);
        }
    }

    private void setQdisc(ShellEffect.SetQdisc qdisc) {
        paces = qdisc.discipline() == ShellEffect.Discipline.FAIR_QUEUE;
        if (device != null) {
            device.paces(paces);
        }
        queueLimit = qdisc.limit();
        if (device != null) {
            device.queueLimit(queueLimit.orElse(QUEUE_LENGTH));
        }
    }

    private void setRoute(ShellEffect.SetRoute route) {
        if (route.initialWindow().isPresent()) {
            String window = Integer.toString(route.initialWindow().getAsInt());
            setSysctl(new ShellEffect.SetSysctl(route.position(), INITIAL_WINDOW, window));
        }
        route.mtu().ifPresent(this::setMtu);
        if (route.advertisedMss().isPresent()) {
            advertisedMss = route.advertisedMss().getAsInt();
            if (device != null) {
                device.lockedMss(advertisedMss);
            }
        }
    }

    private void setMtu(int bytes) {
        mtu = bytes;
        if (device != null) {
            device.mtu(bytes);
        }
    }

    /**
     * What a TUN device shows are packets of the wire, whoever cuts them: the switches change
     * nothing.
     */
    private void setOffload(ShellEffect.SetOffload offload) {
        switch (offload.feature()) {
            case "tso", "gso", "gro" -> {}
            default ->
                    throw new UnsupportedScriptException(
                            offload.position(), "the offload " + offload.feature());
        }
    }

    private void createFile(ShellEffect.CreateFile file) {
        files.put(file.path(), file.length());
        if (calls != null) {
            calls.transfers().createFile(file.path(), file.length());
        }
    }

    private void removeFile(ShellEffect.RemoveFile file) {
        files.remove(file.path());
        if (calls != null) {
            calls.transfers().removeFile(file.path());
        }
    }

    /** The parameters that scripts set to what is our default anyway. */
    private static void setModuleParameter(ShellEffect.SetModuleParameter parameter) {
        boolean usual =
                parameter.module().equals("tcp_cubic")
                        && parameter.parameter().equals("hystart_detect")
                        && parameter.value().equals("3");
        if (!usual) {
            throw new UnsupportedScriptException(
                    parameter.position(),
                    "the module parameter " + parameter.module() + "." + parameter.parameter());
        }
    }

    private void expectSockets(ShellEffect.ExpectSockets expected) {
        start();
        int[] count = new int[1];
        String state = stateName(expected);
        if (state.equals("LISTEN")) {
            for (Descriptor descriptor : calls.table().all()) {
                if (descriptor instanceof Descriptor.Socket socket
                        && socket.listening != null
                        && isPort(expected, socket.listening.localPort())) {
                    count[0]++;
                }
            }
        } else if (state.equals("TIME_WAIT")) {
            count[0] = stack.tcp().timeWait().count();
        } else {
            int[] connections = new int[1];
            stack.forEachConnection(
                    connection -> {
                        connections[0]++;
                        if (connection.state().name().equals(state)
                                && isPort(expected, connection.localPort())) {
                            count[0]++;
                        }
                    });
            if (state.equals("SYN_RECEIVED")) {
                count[0] += stack.endpoints() - connections[0];
            }
        }
        if (count[0] != expected.count()) {
            throw new ScriptFailure(
                    expected.position(),
                    "sockets in %s: expected %d, got %d"
                            .formatted(expected.state(), expected.count(), count[0]));
        }
    }

    private static boolean isPort(ShellEffect.ExpectSockets expected, int port) {
        return expected.localPort().isEmpty() || expected.localPort().getAsInt() == port;
    }

    /** The name of a state in our terms. */
    private static String stateName(ShellEffect.ExpectSockets expected) {
        return switch (expected.state()) {
            case "LISTEN", "ESTABLISHED", "CLOSE_WAIT", "LAST_ACK", "CLOSING", "SYN_SENT" ->
                    expected.state();
            case "FIN_WAIT_1", "FIN_WAIT_2", "TIME_WAIT", "CLOSED" -> expected.state();
            case "SYN_RCVD" -> "SYN_RECEIVED";
            default ->
                    throw new UnsupportedScriptException(
                            expected.position(), "counting sockets in " + expected.state());
        };
    }

    // ---- packets and time --------------------------------------------------------------------

    @Override
    public void deliver(long now, byte[] packet, int segmentSize) {
        start();
        PacketBuffer buffer = packets.acquire(packet.length + HEADROOM);
        if (buffer == null) {
            throw new IllegalStateException("the packet pool is empty");
        }
        buffer.window(0, packet.length);
        MemorySegment.copy(
                packet, 0, buffer.segment(), ValueLayout.JAVA_BYTE, buffer.start(), packet.length);
        buffer.checksum(PacketBuffer.CHECKSUM_UNVERIFIED);
        buffer.timeNanos(now);
        buffer.truesize(TunTruesize.of(packet.length));
        if (segmentSize > 0) {
            int payload = new LivePacket(now, packet).payloadLength();
            buffer.segments(segmentSize, (payload + segmentSize - 1) / segmentSize);
        }
        stack.deliver(now, device, buffer);
        drain(now);
    }

    @Override
    public void advance(long now) {
        if (stack != null) {
            stack.advance(now);
            drain(now);
        }
    }

    /** Sends what wants to be sent and tells sockets what changed, until both come to rest. */
    private void drain(long now) {
        boolean again = true;
        while (again) {
            stack.flush(now, this::transmit);
            again = stack.signal(now);
        }
    }

    private boolean transmit(long now, Interface from, PacketBuffer packet) {
        sent.add(new LivePacket(now, bytes(packet)));
        packets.release(packet);
        return true;
    }

    private static byte[] bytes(PacketBuffer packet) {
        if (packet.checksum() == PacketBuffer.CHECKSUM_PARTIAL) {
            int version = packet.segment().get(ValueLayout.JAVA_BYTE, packet.start()) >>> 4 & 0xf;
            int first = packet.segment().get(ValueLayout.JAVA_BYTE, packet.start());
            int header = version == 6 ? 40 : (first & 0xf) * 4;
            Checksum.completePartial(
                    packet.segment(),
                    packet.start() + header,
                    packet.length() - header,
                    TCP_CHECKSUM_OFFSET);
        }
        byte[] bytes = new byte[packet.length()];
        MemorySegment.copy(
                packet.segment(), ValueLayout.JAVA_BYTE, packet.start(), bytes, 0, bytes.length);
        return bytes;
    }

    @Override
    public long nextDeadline() {
        return stack == null ? NEVER : Math.min(stack.nextDeadline(), calls.nextDeadline());
    }

    @Override
    public LivePacket takePacket() {
        return sent.poll();
    }

    // ---- calls -------------------------------------------------------------------------------

    @Override
    public Outcome call(long now, Step.Call call) {
        start();
        Outcome outcome = calls.call(now, call);
        drain(now);
        return outcome;
    }

    @Override
    public Outcome retry(long now) {
        Outcome outcome = calls.retry(now);
        drain(now);
        return outcome;
    }

    @Override
    public Optional<Map<String, Long>> information(long now, int descriptor, Position position) {
        start();
        if (!(calls.table().get(descriptor) instanceof Descriptor.Socket socket)) {
            throw new ScriptFailure(position, "descriptor " + descriptor + " is no socket");
        }
        Map<String, Long> values = new HashMap<>(TcpInfoNames.CONSTANTS);
        StreamSocket stream = socket.stream;
        TcpInfo info = stream.info(now);
        for (String field : TcpInfoNames.FIELDS) {
            long value = info.get(field);
            if (value != Long.MIN_VALUE) {
                values.put("tcpi_" + field, value);
            }
        }
        if (socket.listening != null) {
            values.put("tcpi_state", TcpInfoNames.CONSTANTS.get("TCP_LISTEN"));
        }
        TcpConnection connection = stream.connection();
        if (connection != null) {
            values.put("SK_MEMINFO_RCVBUF", (long) connection.rcvBuf());
            values.put("SK_MEMINFO_SNDBUF", (long) connection.sndBuf());
        }
        return Optional.of(values);
    }

    /** Gives all memory back. */
    @Override
    public void close() {
        if (stack != null) {
            packets.close();
            blocks.close();
        }
    }
}
