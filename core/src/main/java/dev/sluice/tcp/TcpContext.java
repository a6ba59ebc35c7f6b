package dev.sluice.tcp;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.BlockPool;
import dev.sluice.memory.DeadlineQueue;
import dev.sluice.memory.MemoryAccount;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.seed.Rng;
import dev.sluice.tcp.congestion.AckSample;
import dev.sluice.tcp.congestion.CongestionController;
import dev.sluice.tcp.congestion.CongestionControllers;
import dev.sluice.tcp.policy.BindingPromise;
import dev.sluice.tcp.policy.Customs;
import dev.sluice.tcp.policy.EcnAckPolicy;
import dev.sluice.tcp.policy.MeasuredRatio;
import dev.sluice.tcp.policy.PromptEcnAcks;
import dev.sluice.tcp.policy.ReceivePromise;
import dev.sluice.tcp.policy.Rfc9937RecoveryRate;
import dev.sluice.tcp.policy.WholeBuffer;
import dev.sluice.tcp.policy.WindowFromSpace;
import dev.sluice.tcp.policy.WritableRule;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptionWriter;

import java.util.Arrays;
import java.util.function.Supplier;

/**
 * What all connections of one stack share: configuration, pools, counters, the flyweights of the
 * segment at hand, and the lists through which a connection asks the stack for its turn.
 *
 * <p>A stack has one owner at a time (architecture section 8), so everything here is plain.
 */
public final class TcpContext {
    StackConfig config;
    TcpSettings defaults;
    final PacketPool packets;
    final BlockPool blocks;
    final MemoryAccount memory;
    final Counters counters;
    final StackObserver observer;
    final DeadlineQueue deadlines = new DeadlineQueue();

    /** Refilled for every segment. */
    final IncomingSegment segment = new IncomingSegment();

    final AckSample ackSample = new AckSample();

    // The spine: stateless, one instance per stack.
    final SegmentArrives segmentArrives = new SegmentArrives();
    final AckArrives ackArrives;
    final DataArrives dataArrives = new DataArrives();
    final Acceptability acceptability = new Acceptability();
    final Transmitter transmitter = new Transmitter();
    final TimerExpiry timerExpiry = new TimerExpiry();
    final Handshake handshake = new Handshake();
    final FastOpenHandshake fastOpenHandshake = new FastOpenHandshake();
    final FastOpenClient fastOpenClient = new FastOpenClient();
    final CookieHandshake cookieHandshake = new CookieHandshake();
    final UserCalls userCalls = new UserCalls();
    final MtuSearch mtuSearch = new MtuSearch();

    final SegmentBuilder builder;
    final Replies replies;
    final TimeWaitTable timeWait;
    final InitialSequence initialSequence;
    final WriteSpace writeSpace;
    final FastOpen fastOpen;
    final FastOpenCache fastOpenCache;
    final SynCookies synCookies;

    final CongestionControllers controllers;

    // Disputed decisions; the lab may replace them before traffic flows.
    WindowFromSpace windowFromSpace;
    ReceivePromise receivePromise = new BindingPromise();
    EcnAckPolicy ecnAckPolicy = new PromptEcnAcks();
    Customs customs;

    private Endpoint[] endpoints = new Endpoint[64];
    private int[] freeNumbers = new int[64];
    private int freeCount;
    private int nextNumber;

    private Flight freeFlights;
    private TcpTimers freeTimers;
    private ReceiveQueue freeReceiveQueues;

    private int ids;

    /** What is being worked on, for {@link #abandon}; null for nothing of a connection's. */
    private TcpConnection atHand;

    // Endpoints that ended and are still in the stack's table.
    private Endpoint[] departed = new Endpoint[16];
    private int departedCount;

    // Sockets to be told about readiness, in first-come order.
    private TcpConnection signalHead;
    private TcpConnection signalTail;
    private TcpListener[] signalledListeners = new TcpListener[4];
    private int signalledListenerCount;

    // Writers that have space and wait for memory pressure to end (B-1.3.6).
    private TcpConnection[] waitingForMemory = new TcpConnection[16];
    private int waitingForMemoryCount;

    // Connections that want output, in first-come order.
    private TcpConnection outputHead;
    private TcpConnection outputTail;

    // Packets built and not yet handed to a device, in order.
    private PacketBuffer packetHead;
    private PacketBuffer packetTail;

    public TcpContext(
            StackConfig config,
            PacketPool packets,
            BlockPool blocks,
            MemoryAccount memory,
            Counters counters,
            StackObserver observer,
            Rng rng) {
        this.config = config;
        this.customs = Customs.of(config.tcpCustoms);
        this.windowFromSpace =
                config.tcpCustoms.equals("freebsd") ? new WholeBuffer() : new MeasuredRatio();
        this.defaults = TcpSettings.defaults(config);
        this.packets = packets;
        this.blocks = blocks;
        this.memory = memory;
        this.counters = counters;
        this.observer = observer;
        this.controllers = new CongestionControllers(config.tcpHystart);
        this.ackArrives = new AckArrives(controllers, new Rfc9937RecoveryRate());
        this.builder = new SegmentBuilder(packets, counters, synOrder(config));
        this.replies = new Replies(this);
        this.timeWait =
                new TimeWaitTable(this, config.timeWaitNanos, rng.split("time-wait").nextLong());
        Rng keys = rng.split("initial-sequence");
        this.initialSequence = new InitialSequence(keys.nextLong(), keys.nextLong());
        Rng cookies = rng.split("fast-open");
        this.fastOpen = new FastOpen(config, cookies.nextLong(), cookies.nextLong());
        Rng syn = rng.split("syn-cookies");
        this.synCookies = new SynCookies(syn.nextLong(), syn.nextLong());
        this.fastOpenCache = new FastOpenCache(cookies.nextLong());
        this.writeSpace = new WriteSpace(memory, WritableRule.THROTTLE, config.wmemMin);
    }

    /**
     * Another configuration from now on. As in Linux, a connection keeps what it took from the old
     * one when it was made; what is made only once, such as pools, keeps its size.
     */
    public void configure(StackConfig next) {
        String chosen = defaults.congestionControl;
        boolean keeps = next.congestionControl.equals(config.congestionControl);
        config = next;
        defaults = TcpSettings.defaults(next);
        if (keeps) {
            defaults.congestionControl = chosen;
        }
        fastOpen.bits(next.fastOpenBits);
    }

    /** Adds a congestion control to those that connections may use. */
    public void addCongestionControl(String name, Supplier<CongestionController> supplier) {
        controllers.register(name, supplier);
    }

    /** What connections use that do not choose, until tcp_congestion_control is changed. */
    public void defaultCongestionControl(String name) {
        controllers.create(name);
        defaults = TcpSettings.defaults(config);
        defaults.congestionControl = name;
    }

    private static TcpOptionWriter.SynOrder synOrder(StackConfig config) {
        return config.tcpSynOptions.equals("freebsd")
                ? TcpOptionWriter.SynOrder.FREEBSD
                : TcpOptionWriter.SynOrder.LINUX;
    }

    void count(Counter counter) {
        counters.increment(counter);
    }

    /** Largest receive buffer a socket may get: decides the window scale (B-7.1), in bytes. */
    int largestReceiveBuffer() {
        return Math.max(config.rmemMax, config.coreRmemMax);
    }

    // ---- endpoints ---------------------------------------------------------------------------

    int nextId() {
        return ids++;
    }

    int register(Endpoint endpoint) {
        int number;
        if (freeCount > 0) {
            number = freeNumbers[--freeCount];
        } else {
            number = nextNumber++;
            if (number == endpoints.length) {
                endpoints = Arrays.copyOf(endpoints, number * 2);
            }
        }
        endpoints[number] = endpoint;
        return number;
    }

    /** The endpoint has ended; the stack takes it out of its table with {@link #takeDeparted}. */
    void depart(Endpoint endpoint) {
        int number = endpoint.number();
        deadlines.remove(number);
        endpoints[number] = null;
        if (freeCount == freeNumbers.length) {
            freeNumbers = Arrays.copyOf(freeNumbers, freeCount * 2);
        }
        freeNumbers[freeCount++] = number;
        if (departedCount == departed.length) {
            departed = Arrays.copyOf(departed, departedCount * 2);
        }
        departed[departedCount++] = endpoint;
    }

    /** An endpoint to take out of the stack's table; null if there is none. */
    public Endpoint takeDeparted() {
        if (departedCount == 0) {
            return null;
        }
        Endpoint endpoint = departed[--departedCount];
        departed[departedCount] = null;
        return endpoint;
    }

    // ---- deadlines ---------------------------------------------------------------------------

    /**
     * An endpoint's earliest deadline is now {@code deadline}. Only an earlier one re-arms the
     * queue; a later one is discovered when the old one fires (architecture section 6, step 25).
     */
    void deadlineMoved(int number, long deadline) {
        if (deadline < deadlines.deadline(number)) {
            deadlines.set(number, deadline);
        }
    }

    /** When the stack has to be advanced next; Long.MAX_VALUE if never. */
    public long nextDeadline() {
        return Math.min(deadlines.earliest(), timeWait.earliest());
    }

    /** Runs everything due at or before {@code now}. */
    public void advance(long now) {
        for (int number = deadlines.pollDue(now); number >= 0; number = deadlines.pollDue(now)) {
            switch (endpoints[number]) {
                case TcpConnection c -> {
                    atHand = c;
                    timerExpiry.run(now, c);
                }
                case HalfOpen row -> row.listener.onTimeout(now, row);
                case null -> {
                    // Ended at this very instant.
                }
            }
        }
        atHand = null;
        timeWait.expire(now);
        if (waitingForMemoryCount > 0 && !memory.pressure()) {
            wakeThoseWaitingForMemory(now);
        }
    }

    /**
     * Resets the connection that a fault of our own came from; it is what the stack was busy with.
     *
     * @return false if it was busy with none
     */
    public boolean abandon(long now) {
        TcpConnection faulty = atHand;
        atHand = null;
        if (faulty == null) {
            return false;
        }
        if (faulty.state() == TcpState.CLOSED) {
            faulty.signals(null); // it was whoever heard of the end that failed
            return true;
        }
        counters.increment(Counter.CONNECTION_FAULTS);
        faulty.abort(now);
        return true;
    }

    // ---- signals -----------------------------------------------------------------------------

    void listSignal(TcpConnection c) {
        if (!c.signalListed) {
            c.signalListed = true;
            c.nextSignal = null;
            if (signalTail == null) {
                signalHead = c;
            } else {
                signalTail.nextSignal = c;
            }
            signalTail = c;
        }
    }

    void signalListener(TcpListener listener) {
        for (int i = 0; i < signalledListenerCount; i++) {
            if (signalledListeners[i] == listener) {
                return;
            }
        }
        if (signalledListenerCount == signalledListeners.length) {
            signalledListeners = Arrays.copyOf(signalledListeners, signalledListenerCount * 2);
        }
        signalledListeners[signalledListenerCount++] = listener;
    }

    /**
     * Tells every socket whose readiness changed.
     *
     * @return whether anybody was told
     */
    public boolean signal(long now) {
        boolean told = false;
        for (int i = 0; i < signalledListenerCount; i++) {
            TcpListener listener = signalledListeners[i];
            signalledListeners[i] = null;
            if (listener.signals() != null) {
                told = true;
                listener.signals().ready(now, Readiness.IN);
            }
        }
        signalledListenerCount = 0;
        atHand = null;
        while (signalHead != null) {
            TcpConnection c = signalHead;
            signalHead = c.nextSignal;
            if (signalHead == null) {
                signalTail = null;
            }
            c.nextSignal = null;
            c.signalListed = false;
            int events = c.pendingEvents;
            c.pendingEvents = 0;
            if (c.signals() != null && events != 0) {
                told = true;
                atHand = c;
                c.signals().ready(now, events);
            }
        }
        atHand = null;
        return told;
    }

    void waitForMemory(TcpConnection c) {
        if (c.waitsForMemory) {
            return;
        }
        c.waitsForMemory = true;
        if (waitingForMemoryCount == waitingForMemory.length) {
            waitingForMemory = Arrays.copyOf(waitingForMemory, waitingForMemoryCount * 2);
        }
        waitingForMemory[waitingForMemoryCount++] = c;
    }

    private void wakeThoseWaitingForMemory(long now) {
        int waiting = waitingForMemoryCount;
        waitingForMemoryCount = 0;
        for (int i = 0; i < waiting; i++) {
            TcpConnection c = waitingForMemory[i];
            waitingForMemory[i] = null;
            c.waitsForMemory = false;
            userCalls.wakeWriter(now, c);
        }
    }

    // ---- pools of parts ----------------------------------------------------------------------

    Flight takeFlight() {
        Flight flight = freeFlights;
        if (flight == null) {
            return new Flight();
        }
        freeFlights = flight.nextFree;
        flight.nextFree = null;
        return flight;
    }

    void giveBack(Flight flight) {
        flight.reset();
        flight.nextFree = freeFlights;
        freeFlights = flight;
    }

    TcpTimers takeTimers() {
        TcpTimers timers = freeTimers;
        if (timers == null) {
            return new TcpTimers();
        }
        freeTimers = timers.nextFree;
        timers.nextFree = null;
        return timers;
    }

    void giveBack(TcpTimers timers) {
        timers.disarmAll();
        timers.nextFree = freeTimers;
        freeTimers = timers;
    }

    ReceiveQueue takeReceiveQueue() {
        ReceiveQueue queue = freeReceiveQueues;
        if (queue == null) {
            return new ReceiveQueue();
        }
        freeReceiveQueues = queue.nextFree;
        queue.nextFree = null;
        return queue;
    }

    void giveBack(ReceiveQueue queue) {
        queue.reset();
        queue.nextFree = freeReceiveQueues;
        freeReceiveQueues = queue;
    }

    // ---- for the stack and sockets -----------------------------------------------------------

    /** Settings of a socket nobody has touched; shared, so change a copy. */
    public TcpSettings defaultSettings() {
        return defaults;
    }

    public boolean knowsCongestionControl(String name) {
        return controllers.isKnown(name);
    }

    /**
     * Active open: makes the connection and sends its SYN. The 4-tuple is free.
     *
     * @param holdSyn the SYN waits for {@link TcpConnection#connectFastOpen}
     */
    public TcpConnection open(
            long now,
            TcpSettings settings,
            Route route,
            IpAddress local,
            int localPort,
            IpAddress remote,
            int remotePort,
            boolean holdSyn) {
        int iss =
                initialSequence.next(
                        now,
                        local.hi(),
                        local.lo(),
                        remote.hi(),
                        remote.lo(),
                        localPort << 16 | remotePort);
        TcpConnection c = new TcpConnection(this, iss, settings);
        c.route = route;
        c.localHi = local.hi();
        c.localLo = local.lo();
        c.localPort = (char) localPort;
        c.remoteHi = remote.hi();
        c.remoteLo = remote.lo();
        c.remotePort = (char) remotePort;
        handshake.begin(now, c);
        if (holdSyn) {
            c.fastOpenFlags = FastOpenClient.DEFERRED;
        } else {
            handshake.sendFirstSyn(now, c);
        }
        return c;
    }

    /**
     * A router said that a packet of ours was too large for the next hop (RFC 1191, B-11.4).
     *
     * @param seq quoted sequence number, from the wire
     * @param mtu what would have fitted; 0 if the router does not say
     */
    public void onPacketTooBig(long now, TcpConnection c, int seq, int mtu) {
        if (!isQuoteOfOurs(c, seq)) {
            count(Counter.OUT_OF_WINDOW_ICMPS);
            return;
        }
        userCalls.pathMtuChanged(now, c, mtu);
    }

    /**
     * A packet of ours could not be delivered (RFC 1122 section 4.2.3.9).
     *
     * @param hard no use to try again: ends an attempt to connect
     */
    public void onUnreachable(
            long now, TcpConnection c, int seq, DisconnectReason reason, boolean hard) {
        if (!isQuoteOfOurs(c, seq)) {
            count(Counter.OUT_OF_WINDOW_ICMPS);
            return;
        }
        if (c.isOpenEarly() && c.listener == null) {
            return; // accepted already: the application decides
        }
        boolean opening = c.state() == TcpState.SYN_SENT || c.state() == TcpState.SYN_RECEIVED;
        if (opening && hard) {
            count(Counter.TCP_ATTEMPT_FAILS);
            userCalls.disconnect(now, c, reason);
        } else {
            c.softError = reason;
            if (c.settings.reportsErrors) {
                c.signal(Readiness.ERR);
            }
        }
    }

    /** The same for a SYN-ACK nobody has acknowledged: the attempt is over, without a word. */
    public void onUnreachable(HalfOpen row, int seq, DisconnectReason reason) {
        if (seq != row.sequence.iss()) {
            count(Counter.OUT_OF_WINDOW_ICMPS);
        } else if (reason != DisconnectReason.PORT_UNREACHABLE) {
            count(Counter.LISTEN_DROPS);
            row.listener.drop(row);
        }
    }

    /** Whether sockets may use Fast Open to connect. */
    public boolean fastOpenAllowed() {
        return fastOpen.has(FastOpen.CLIENT);
    }

    /** Forgets all cookies of servers, as {@code ip tcp_metrics flush} does. */
    public void forgetFastOpenCookies() {
        fastOpenCache.clear();
    }

    /** Its keys; false for other than 16 or 32 bytes. */
    public boolean fastOpenKeys(byte[] keys) {
        return fastOpen.keys(keys);
    }

    private static boolean isQuoteOfOurs(TcpConnection c, int seq) {
        long offset = c.sequence.sendOffset(seq, c.sendWindow.sndUna);
        long first = c.isOpenEarly() ? 0 : c.sendWindow.sndUna;
        return offset >= first && offset < Math.max(c.sendWindow.sndNxt, 1);
    }

    /** For packets that are not TCP's. */
    public void emitPacket(PacketBuffer packet) {
        emit(packet);
    }

    // ---- segments ----------------------------------------------------------------------------

    /** The flyweight, filled from a parsed header for a connection. */
    IncomingSegment segmentFor(TcpConnection c, TcpHeader header, PacketBuffer packet, int ecn) {
        long rcvNxt = c.receiveWindow.rcvNxt;
        boolean first = c.state() == TcpState.SYN_SENT;
        long seq = first ? 0 : c.sequence.receiveOffset(header.segSeq(), rcvNxt);
        long ack = c.sequence.sendOffset(header.segAck(), c.sendWindow.sndUna);
        segment.fill(header, packet, ecn, seq, ack, c.sendWindow.sndWindShift);
        segment.fillSack(c.sequence, c.sendWindow.sndUna);
        return segment;
    }

    IncomingSegment segmentFor(HalfOpen row, TcpHeader header, PacketBuffer packet, int ecn) {
        long seq = row.sequence.receiveOffset(header.segSeq(), 1);
        long ack = row.sequence.sendOffset(header.segAck(), 1);
        segment.fill(header, packet, ecn, seq, ack, row.sndWindShift);
        segment.sackCount = 0;
        return segment;
    }

    /**
     * A segment for a connection of this stack, checksum verified. The window of {@code packet} is
     * the payload.
     *
     * @return whether the packet was kept; otherwise the caller releases it
     */
    public boolean onSegment(
            long now, TcpConnection c, TcpHeader header, PacketBuffer packet, int ecn) {
        IncomingSegment s = segmentFor(c, header, packet, ecn);
        atHand = c;
        segmentArrives.onSegment(now, c, s);
        atHand = null;
        return s.kept;
    }

    /**
     * A segment for a half-open row.
     *
     * @return the connection it became, to replace the row in the stack's table before the segment
     *     is given to {@link #onSegment(long, TcpConnection, TcpHeader, PacketBuffer, int)}; or
     *     null
     */
    public TcpConnection onSegment(
            long now, HalfOpen row, TcpHeader header, PacketBuffer packet, int ecn) {
        return row.listener.onSegment(now, row, segmentFor(row, header, packet, ecn));
    }

    /** Whether a packet given to a listener was kept; otherwise the caller releases it. */
    public boolean keptPacket() {
        return segment.kept;
    }

    public Replies replies() {
        return replies;
    }

    public TimeWaitTable timeWait() {
        return timeWait;
    }

    // ---- output ------------------------------------------------------------------------------

    /** Puts the connection on the list of those that get a turn at the next flush; once. */
    void wantsOutput(TcpConnection connection) {
        if (connection.outputListed) {
            return;
        }
        connection.outputListed = true;
        connection.nextOutput = null;
        if (outputTail == null) {
            outputHead = connection;
        } else {
            outputTail.nextOutput = connection;
        }
        outputTail = connection;
    }

    /** Next connection with something to send, taken off the list; null if there is none. */
    private TcpConnection takeOutput() {
        TcpConnection connection = outputHead;
        if (connection != null) {
            outputHead = connection.nextOutput;
            if (outputHead == null) {
                outputTail = null;
            }
            connection.nextOutput = null;
            connection.outputListed = false;
        }
        return connection;
    }

    /** Gives every listed connection its turn. */
    public void output(long now) {
        for (TcpConnection c = takeOutput(); c != null; c = takeOutput()) {
            atHand = c;
            transmitter.output(now, c);
        }
        atHand = null;
    }

    /** A finished packet; it leaves with the next flush, in order. */
    void emit(PacketBuffer packet) {
        packet.next(null);
        if (packetTail == null) {
            packetHead = packet;
        } else {
            packetTail.next(packet);
        }
        packetTail = packet;
    }

    /** The oldest finished packet, taken off the queue; null if there is none. */
    public PacketBuffer takePacket() {
        PacketBuffer packet = packetHead;
        if (packet != null) {
            packetHead = packet.next();
            if (packetHead == null) {
                packetTail = null;
            }
            packet.next(null);
        }
        return packet;
    }
}
