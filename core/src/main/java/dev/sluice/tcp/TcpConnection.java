package dev.sluice.tcp;

import dev.sluice.memory.ByteStream;
import dev.sluice.memory.PacketStream;
import dev.sluice.memory.TransmitOwner;
import dev.sluice.tcp.congestion.CongestionController;
import dev.sluice.trace.Counter;

/**
 * One connection: owner of the parts, without policy of its own (architecture section 5).
 *
 * <p>The spine ({@link SegmentArrives}, {@link AckArrives}, {@link DataArrives}, {@link
 * Transmitter}, {@link TimerExpiry}, {@link Handshake}, {@link UserCalls}) reaches the parts
 * through the package-private fields here. A part never holds a reference back.
 */
public final class TcpConnection implements Endpoint, TransmitOwner {
    final TcpContext context;
    final SequenceSpace sequence;
    private final int number;

    /** Never reused while the stack lives: what observers and traces call this connection. */
    private final int id;

    TcpSettings settings;
    private TcpState state = TcpState.CLOSED;
    DisconnectReason reason = DisconnectReason.NONE;

    // Addresses; IPv4 as v4-mapped.
    long localHi;
    long localLo;
    long remoteHi;
    long remoteLo;
    char localPort;
    char remotePort;
    Route route;

    // Parts that always exist.
    final SendWindow sendWindow = new SendWindow();
    final CongestionWindow congestion = new CongestionWindow();
    final RttEstimator rtt = new RttEstimator();
    final ReceiveWindow receiveWindow;
    final AckPolicy ackPolicy = new AckPolicy();
    final Timestamps timestamps;

    // Parts that exist while needed.
    /** Null until the first byte is sent. */
    CongestionController controller;

    /** Null while nothing is queued or in flight. */
    Flight flight;

    /** Null while no timer is armed. */
    TcpTimers timers;

    /** Out-of-order data and what to report about it; null while there is none. */
    ReceiveQueue receiveQueue;

    /** Bytes written by the application; null before the first. */
    ByteStream out;

    /** Bytes in order for the application; null before the first. */
    PacketStream in;

    /** Payload of a full segment with fixed options (Linux {@code mss_cache}, B-11.2), in bytes. */
    int sendMss;

    /** The peer's MSS option, or the default for want of it. */
    char peerMss;

    /** MSS we advertised (Linux {@code advmss}). */
    char advertisedMss;

    /** Largest IP packet the path takes, in bytes (Linux {@code icsk_pmtu_cookie}). */
    int pathMtu;

    /** SO_SNDBUF in force: autotuned unless the user set it (B-7.9, B-7.11), in bytes. */
    int sndBuf;

    /** Truesize of the send side charged to the stack's account, in bytes. */
    int chargedSend;

    /**
     * Reserved from the stack's account and not charged (Linux {@code sk_forward_alloc}), in bytes.
     */
    int forwardAlloc;

    /** Counted among the sockets that share the stack's memory. */
    private boolean accounted = true;

    /** Both ends sent the window scale option. */
    boolean windowScaling;

    /** Both ends sent SACK-permitted. */
    boolean sackOk;

    /** How Fast Open was used; bits of {@link FastOpenClient}. */
    byte fastOpenFlags;

    /** Explicit congestion notification: bits of {@link Ecn}. */
    byte ecn;

    /** The rest of accurate ECN; null unless it was negotiated or our SYN asks for it. */
    AccurateEcn accurateEcn;

    /** The search for a larger path MTU; null while there is none. */
    MtuProbing mtuProbing;

    /** Null while there was no urgent data in either direction. */
    UrgentData urgent;

    /** What the send side waited for; null before it first had something to send. */
    BusyTime busyTime;

    /** The application will write no more: FIN follows the last byte. */
    boolean sendShutdown;

    /** The application will read no more. */
    boolean receiveShutdown;

    /** The socket is gone; the protocol finishes on its own (B-10.12). */
    boolean orphaned;

    /** Some caller is waiting for write space (Linux SOCK_NOSPACE, B-8.4). */
    boolean noSpace;

    /** Opened by the peer. */
    boolean passive;

    /** The peer's FIN arrived in order. */
    boolean finReceived;

    /** Nagle is overridden for what is queued now, until more is (Linux TCP_NAGLE_PUSH). */
    boolean pushPending;

    /** Consecutive unanswered retransmissions (Linux {@code icsk_retransmits}). */
    byte retransmits;

    /** Unanswered window or keepalive probes (Linux {@code icsk_probes_out}). */
    byte probesOut;

    /** Doublings of the persist timer (B-7.8). */
    byte persistBackoff;

    /** When anything last arrived, and when data was last sent; for keepalive and tcp_info. */
    long lastReceiveNanos;

    long lastDataSendNanos;

    /** Identification of the next IPv4 packet. */
    char ipId;

    /** What an ICMP error said that did not end the connection (RFC 1122 section 4.2.3.9). */
    DisconnectReason softError = DisconnectReason.NONE;

    /** Whose accept queue this is for; null if active or accepted. */
    TcpListener listener;

    TcpConnection nextAccept;

    // What tcp_info counts.
    int segsIn;
    int segsOut;
    int dataSegsIn;
    int dataSegsOut;
    int totalRetransmits;
    long bytesRetransmitted;

    // Signals for the application.
    private SocketSignals signals;
    int pendingEvents;
    boolean waitsForMemory;
    boolean signalListed;
    TcpConnection nextSignal;

    // Intrusive output list of TcpContext.
    boolean outputListed;
    TcpConnection nextOutput;

    /** For an active open. */
    TcpConnection(TcpContext context, int iss, TcpSettings settings) {
        this.context = context;
        this.sequence = new SequenceSpace(iss);
        this.settings = settings;
        this.receiveWindow = new ReceiveWindow();
        this.timestamps = new Timestamps();
        this.windowScaling = context.config.windowScaling;
        context.memory.socketOpened();
        this.number = context.register(this);
        this.id = context.nextId();
    }

    /** What a half-open row becomes; it hands over what it has already agreed with the peer. */
    TcpConnection(HalfOpen row) {
        this.context = row.context;
        this.sequence = row.sequence;
        this.settings = row.listener.settings.inherit();
        this.receiveWindow = row.receiveWindow;
        this.timestamps = row.timestamps;
        this.localHi = row.localHi;
        this.localLo = row.localLo;
        this.remoteHi = row.remoteHi;
        this.remoteLo = row.remoteLo;
        this.localPort = (char) row.localPort;
        this.remotePort = (char) row.remotePort;
        this.route = row.route;
        context.memory.socketOpened();
        this.number = context.register(this);
        this.id = context.nextId();
    }

    // ---- state -------------------------------------------------------------------------------

    public TcpState state() {
        return state;
    }

    /**
     * The only way to change the state; {@code cause} is the flag bits or 0 for a call or timer.
     */
    void transition(long now, TcpState next, int cause) {
        assert state.mayBecome(next) : state + " may not become " + next;
        TcpState from = state;
        state = next;
        if (next == TcpState.ESTABLISHED) {
            context.counters.add(Counter.TCP_CURR_ESTAB, 1);
        } else if (from == TcpState.ESTABLISHED && next != TcpState.CLOSE_WAIT
                || from == TcpState.CLOSE_WAIT) {
            context.counters.add(Counter.TCP_CURR_ESTAB, -1);
        }
        context.observer.stateChanged(now, id, from.ordinal(), next.ordinal(), cause);
    }

    /** Why the connection ended; {@link DisconnectReason#NONE} while it has not. */
    public DisconnectReason reason() {
        return reason;
    }

    @Override
    public int number() {
        return number;
    }

    /** What observers call this connection; never reused within a stack. */
    public int id() {
        return id;
    }

    @Override
    public long localHi() {
        return localHi;
    }

    @Override
    public long localLo() {
        return localLo;
    }

    @Override
    public long remoteHi() {
        return remoteHi;
    }

    @Override
    public long remoteLo() {
        return remoteLo;
    }

    @Override
    public int localPort() {
        return localPort;
    }

    @Override
    public int remotePort() {
        return remotePort;
    }

    public TcpSettings settings() {
        return settings;
    }

    /** Fast Open from a client: usable, though the handshake is not complete (B-10.3). */
    public boolean isOpenEarly() {
        return flight != null && flight.halfOpen != null;
    }

    boolean isIpv4() {
        return dev.sluice.wire.IpAddress.isIpv4(remoteHi, remoteLo);
    }

    /** Fills a snapshot. */
    public void info(long now, TcpInfo info) {
        info.fill(now, this);
    }

    /** Bytes written and not acknowledged (SIOCOUTQ), a FIN not counted. */
    public int unacknowledged() {
        return (int) Math.max(0, writeEnd() - Math.max(1, sendWindow.sndUna));
    }

    // ---- positions ---------------------------------------------------------------------------

    /** One past the last byte the application wrote (Linux {@code write_seq}), FIN not counted. */
    long writeEnd() {
        return out == null ? 1 : out.end();
    }

    /** Written and not yet sent, in bytes. */
    int notSent() {
        return (int) Math.max(0, writeEnd() - Math.max(sendWindow.sndNxt, 1));
    }

    boolean finSent() {
        return sendWindow.sndNxt > writeEnd();
    }

    /** Something waits for its first transmission. */
    boolean hasUnsent() {
        return sendWindow.sndNxt < writeEnd() || finPending();
    }

    /** The FIN waits for its first transmission. */
    boolean finPending() {
        return sendShutdown && state != TcpState.SYN_SENT && !finSent() && state != TcpState.CLOSED;
    }

    /** Segments sent and not cumulatively acknowledged. */
    int packetsOut() {
        return flight == null ? 0 : flight.scoreboard.packetsOut();
    }

    /** Unread bytes in order. */
    int available() {
        return in == null ? 0 : (int) in.available();
    }

    // ---- parts on demand ---------------------------------------------------------------------

    Flight flight() {
        if (flight == null) {
            flight = context.takeFlight();
            flight.rateSampler.begin(Integer.toUnsignedLong(congestion.delivered));
            flight.sendQueue.begin(Math.max(1, sendWindow.sndNxt));
        }
        return flight;
    }

    ReceiveQueue receiveQueue() {
        if (receiveQueue == null) {
            receiveQueue = context.takeReceiveQueue();
        }
        return receiveQueue;
    }

    /** Gives back what a quiet connection does not need (architecture section 10). */
    void releaseIdleParts() {
        if (flight != null
                && flight.scoreboard.isEmpty()
                && flight.sendQueue.records() == 0
                && flight.halfOpen == null
                && !finPending()
                && flight.smallQueue.bytesInDevice() == 0
                && flight.recovery.isQuiet()
                && flight.lossDetector.probeEnd == LossDetector.NO_PROBE) {
            context.giveBack(flight);
            flight = null;
        }
        if (timers != null && timers.earliest() == TcpTimers.UNARMED) {
            context.giveBack(timers);
            timers = null;
        }
    }

    // ---- timers ------------------------------------------------------------------------------

    void arm(TcpTimer timer, long deadlineNanos) {
        if (timers == null) {
            timers = context.takeTimers();
        }
        timers.arm(timer, deadlineNanos);
        context.deadlineMoved(number, timers.earliest());
    }

    void disarm(TcpTimer timer) {
        if (timers != null) {
            timers.disarm(timer);
        }
    }

    boolean isArmed(TcpTimer timer) {
        return timers != null && timers.deadline(timer) != TcpTimers.UNARMED;
    }

    long deadline(TcpTimer timer) {
        return timers == null ? TcpTimers.UNARMED : timers.deadline(timer);
    }

    // ---- the application's side: see StreamSocket --------------------------------------------

    /** What an ICMP error said that did not end the connection, and forgets it. */
    public DisconnectReason takeSoftError() {
        DisconnectReason soft = softError;
        softError = DisconnectReason.NONE;
        return soft;
    }

    /** What an ICMP error said that is to be reported at once (IP_RECVERR). */
    public boolean hasErrorToReport() {
        return softError != DisconnectReason.NONE && settings.reportsErrors;
    }

    public boolean isSendShutdown() {
        return sendShutdown;
    }

    public boolean isReceiveShutdown() {
        return receiveShutdown;
    }

    public boolean isFinReceived() {
        return finReceived;
    }

    /** The bytes written; made when first asked for. */
    public ByteStream output() {
        if (out == null) {
            out = new ByteStream(context.blocks);
        }
        return out;
    }

    /** The bytes in order; null before the first. */
    public PacketStream input() {
        return in;
    }

    /** {@code connect} has returned, and the SYN waits for the first write (B-10.3). */
    public boolean isConnectDeferred() {
        return (fastOpenFlags & FastOpenClient.DEFERRED) != 0;
    }

    /** How much data the deferred SYN may carry, in bytes; -1 if there is no cookie yet. */
    public int fastOpenRoom(long now) {
        return context.fastOpenClient.room(now, this);
    }

    /** Sends the deferred SYN with the first {@code bytes} of {@link #output}. */
    public void connectFastOpen(long now, int bytes) {
        context.fastOpenClient.connect(now, this, bytes);
    }

    /**
     * A caller waits for the connection to write more: the ACK of the SYN-ACK may wait for that.
     */
    public void writerWaits(boolean waits) {
        int bit = FastOpenClient.WRITER_WAITS;
        fastOpenFlags = (byte) (waits ? fastOpenFlags | bit : fastOpenFlags & ~bit);
    }

    /** Unread bytes in order, the urgent one included. */
    public int unread() {
        return available();
    }

    /** Null while there was no urgent data in either direction. */
    public UrgentData urgent() {
        return urgent;
    }

    UrgentData urgentData() {
        if (urgent == null) {
            urgent = new UrgentData();
        }
        return urgent;
    }

    /** The last byte written so far is urgent (MSG_OOB). */
    public void wroteUrgent() {
        urgentData().send(writeEnd());
    }

    /** Unread bytes before the urgent one, at most {@code most}; 0 if it is next. */
    public int unreadBeforeUrgent(int most) {
        if (urgent == null || !urgent.exists()) {
            return most;
        }
        return (int) Math.min(most, Math.max(0, urgent.distance(receiveWindow.readEnd)));
    }

    /** The next byte to read is the urgent one (SIOCATMARK). */
    public boolean isAtUrgent() {
        return urgent != null && urgent.exists() && urgent.distance(receiveWindow.readEnd) == 0;
    }

    /**
     * How many of {@code wanted} bytes the next copy into {@link #output} may take; see UserCalls.
     */
    public int admit(long now, int wanted) {
        return context.userCalls.admit(now, this, wanted);
    }

    /** {@code bytes} were put into {@link #output}. @param more this call has more to copy */
    public void wrote(long now, int bytes, boolean first, boolean more) {
        context.userCalls.wrote(now, this, bytes, first, more);
    }

    /** The write call ends; see {@code UserCalls.push}. */
    public void push(long now, boolean more, boolean endOfRecord, boolean cutShort) {
        context.userCalls.push(now, this, more, endOfRecord, cutShort);
    }

    /**
     * A write found no room: push what there is and wake the writer when there is space (B-2.4).
     */
    public void outOfSpace(long now) {
        context.userCalls.outOfSpace(now, this);
    }

    /** NODELAY set or CORK cleared: what is queued goes now (B-2.11). */
    public void pushNow(long now) {
        context.userCalls.pushNow(now, this);
    }

    /** {@code bytes} were taken out of {@link #input}. */
    public void read(long now, int bytes) {
        context.userCalls.read(now, this, bytes);
    }

    public void shutdownOutput(long now) {
        context.userCalls.shutdownOutput(now, this);
    }

    public void shutdownInput(long now) {
        receiveShutdown = true;
        signal(Readiness.IN | Readiness.RDHUP | (sendShutdown ? Readiness.HUP : 0));
    }

    public void close(long now) {
        context.userCalls.close(now, this);
    }

    public void abort(long now) {
        orphaned = true;
        context.userCalls.abort(now, this);
    }

    /** What {@code poll} reports (B-8.1), errors aside. */
    public int readySet() {
        return context.userCalls.readySet(this);
    }

    /** Settings that belong to this connection alone, to be changed. */
    public TcpSettings ownSettings() {
        settings = settings.own();
        return settings;
    }

    public void sendBufferChanged(long now) {
        context.userCalls.sendBufferChanged(now, this);
    }

    public void receiveBufferChanged(long now) {
        receiveWindow.buffer(settings.lockedRcvBuf);
    }

    public void keepAliveChanged(long now) {
        context.timerExpiry.armKeepAlive(now, this);
    }

    public void quickAck(long now, int value) {
        context.dataArrives.onQuickAckOption(now, this, value);
    }

    public boolean isQuickAck() {
        return !ackPolicy.inPingPong();
    }

    /** TCP_CONGESTION on a live connection; false if there is no such controller. */
    public boolean congestionControl(String name) {
        if (!context.knowsCongestionControl(name)) {
            return false;
        }
        ownSettings().congestionControl = name;
        ecn = (byte) Ecn.withController(ecn, context.controllers.needsEcn(name));
        controller = null;
        return true;
    }

    /** The MTU of the path as far as it is known, bytes. */
    public int pathMtu() {
        return pathMtu;
    }

    public int sndBuf() {
        return sndBuf;
    }

    public int rcvBuf() {
        return receiveWindow.rcvBuf;
    }

    public int sendMss() {
        return sendMss;
    }

    // ---- truesize ----------------------------------------------------------------------------

    /** Truesize of the write and retransmit queues (Linux {@code sk_wmem_queued}), in bytes. */
    int wmemQueued() {
        if (flight == null) {
            return 0;
        }
        long bytes = Math.max(0, writeEnd() - Math.max(1, sendWindow.sndUna));
        int buffers = flight.sendQueue.records() + flight.scoreboard.rows();
        return (int) bytes + buffers * SendQueue.RECORD_OVERHEAD;
    }

    /** Brings the stack's account in line with {@link #wmemQueued} after it changed. */
    void rechargeSend(long now) {
        int queued = wmemQueued();
        if (state.isSynchronized()) {
            noteBusy(now, queued > 0);
        }
        int change = queued - chargedSend;
        if (change > 0) {
            forwardAlloc = context.memory.force(forwardAlloc, change) - change;
        } else if (change < 0) {
            forwardAlloc = context.memory.uncharge(now, forwardAlloc, -change);
        }
        chargedSend = queued;
    }

    private void noteBusy(long now, boolean busy) {
        if (busy) {
            busyTime().start(now, BusyTime.BUSY);
        } else if (busyTime != null) {
            busyTime.idle(now);
        }
    }

    BusyTime busyTime() {
        if (busyTime == null) {
            busyTime = new BusyTime();
        }
        return busyTime;
    }

    /** Nobody can charge any more: what is reserved goes back to the stack. */
    void closeAccount(long now) {
        if (accounted) {
            accounted = false;
            context.memory.close(now, forwardAlloc);
            context.memory.socketClosed();
            forwardAlloc = 0;
        }
    }

    /** Fails with an {@link AssertionError} if any state contradicts itself. */
    public void checkInvariants() {
        SendWindow w = sendWindow;
        assert w.sndUna <= w.sndNxt : "SND.UNA beyond SND.NXT";
        assert w.sndNxt <= writeEnd() + 1 || state == TcpState.CLOSED : "SND.NXT beyond the data";
        if (flight != null) {
            flight.scoreboard.checkInvariants();
            flight.sendQueue.checkInvariants(w.sndNxt, writeEnd());
            assert flight.scoreboard.isEmpty() == (w.sndUna == w.sndNxt)
                    : "scoreboard and SND.NXT disagree";
        }
        assert state == TcpState.CLOSED || chargedSend == wmemQueued()
                : "send side charged wrongly";
        assert forwardAlloc >= 0 && receiveWindow.rmemAlloc >= 0 : "account below zero";
    }

    // ---- called by the spine at events -------------------------------------------------------

    /** SND.UNA moved: the bytes before it are the writer's again (B-8.4). */
    void onDataAcked(long now, long newUna) {
        if (out != null) {
            long dataEnd = Math.min(newUna, out.end());
            if (dataEnd > out.head()) {
                out.release(dataEnd);
            }
        }
    }

    /** The device has finished with a packet of ours (B-2.9). */
    @Override
    public void transmitCompleted(long now, int truesize) {
        if (flight == null) {
            return;
        }
        if (flight.smallQueue.completed(truesize)) {
            context.wantsOutput(this);
        } else if (flight.scoreboard.isEmpty()) {
            releaseIdleParts();
        }
    }

    // ---- signals -----------------------------------------------------------------------------

    /** Who is told about readiness; null for nobody. */
    public void signals(SocketSignals target) {
        signals = target;
    }

    /** Who is told about readiness; null for nobody. */
    public SocketSignals signals() {
        return signals;
    }

    /** Remembers events for the application until the driver drains signals. */
    void signal(int events) {
        pendingEvents |= events;
        if (signals != null || listener != null) {
            context.listSignal(this);
        }
    }

    void signalReadable(long now) {
        signal(Readiness.IN);
    }

    /** The peer's FIN arrived in order: RFC 9293 section 3.10.7.4, eighth check. */
    void onFinReceived(long now) {
        context.segmentArrives.onFin(now, this);
    }
}
