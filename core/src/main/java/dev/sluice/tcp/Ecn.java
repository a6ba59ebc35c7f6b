package dev.sluice.tcp;

import dev.sluice.wire.EcnCodepoint;
import dev.sluice.wire.TcpHeader;

/**
 * Explicit congestion notification (RFC 3168, B-6) and the per-packet echo of DCTCP (RFC 8257
 * section 3.2): rules over one byte of state that every connection has ({@code c.ecn}).
 *
 * <p>Nothing but static functions, because most connections never use more than the byte.
 */
final class Ecn {
    /** Both ends agreed; while our SYN is out: we asked. Nothing else counts without it. */
    static final int NEGOTIATED = 1;

    /** The window was reduced: the next new data says CWR. */
    static final int OWES_CWR = 1 << 1;

    /** A mark arrived: every segment says ECE until the peer says CWR (Linux DEMAND_CWR). */
    static final int ECHOES = 1 << 2;

    /** Something ECN-capable arrived from the peer ({@code TCPI_OPT_ECN_SEEN}). */
    static final int SEEN = 1 << 3;

    /**
     * The congestion control lives on marks: everything leaves ECN-capable, and each mark is
     * reported for itself.
     */
    static final int PER_PACKET = 1 << 4;

    /** The last data segment was marked; kept only with {@link #PER_PACKET}. */
    static final int LAST_MARKED = 1 << 5;

    /** Both ends agreed on accurate ECN (RFC 9768): {@link AccurateEcn} has the rest. */
    static final int ACCURATE = 1 << 6;

    /** Our SYN asks for accurate ECN; what comes of it is open. */
    static final int ASKED_ACCURATE = 1 << 7;

    private static final int ASK = TcpHeader.ECE | TcpHeader.CWR;
    private static final int ASK_ACCURATE = TcpHeader.AE | ASK;

    // Values of net.ipv4.tcp_ecn.
    private static final int MODE_OFF = 0;
    private static final int MODE_REQUEST = 1;
    private static final int MODE_ACCURATE = 3;
    private static final int MODE_ACCEPT_ACCURATE_REQUEST_CLASSIC = 4;

    private Ecn() {}

    // ---- negotiation (RFC 3168 section 6.1.1) ------------------------------------------------

    /** State of a connection that we open: whether it asks. */
    static int request(int mode, boolean controllerNeedsEcn) {
        if (mode == MODE_ACCURATE) {
            return withController(NEGOTIATED | ASKED_ACCURATE, controllerNeedsEcn);
        }
        boolean asks = mode == MODE_REQUEST || mode == MODE_ACCEPT_ACCURATE_REQUEST_CLASSIC;
        return asks || controllerNeedsEcn ? withController(NEGOTIATED, controllerNeedsEcn) : 0;
    }

    /**
     * State of a connection that the peer opens.
     *
     * <p>Any combination of the three flags but none and ECE with CWR asks for accurate ECN (RFC
     * 9768 section 3.1.2). An ECN-capable SYN is not one of RFC 3168, so something on the path may
     * have rewritten the field; with AE set it asks for accurate ECN and takes the classic kind
     * instead.
     *
     * @param synFlags TCP flags of the SYN
     * @param codepoint its ECN field
     */
    static int accept(int mode, boolean controllerNeedsEcn, int synFlags, int codepoint) {
        if (mode >= MODE_ACCURATE && asksAccurate(synFlags)) {
            return withController(NEGOTIATED | ACCURATE, controllerNeedsEcn);
        }
        if ((synFlags & ASK) != ASK) {
            return 0;
        }
        boolean classic = codepoint == EcnCodepoint.NOT_ECT || (synFlags & TcpHeader.AE) != 0;
        boolean willing = classic && mode != MODE_OFF || controllerNeedsEcn;
        return willing ? withController(NEGOTIATED, controllerNeedsEcn) : 0;
    }

    /** The answer to our SYN: a SYN-ACK agrees with ECE alone, a crossing SYN asks in its turn. */
    static int answered(int state, int flags) {
        boolean synAck = (flags & TcpHeader.ACK) != 0;
        boolean classic = (flags & ASK) == (synAck ? TcpHeader.ECE : ASK);
        if ((state & ASKED_ACCURATE) == 0) {
            return classic ? state : 0;
        }
        int resolved = state & ~ASKED_ACCURATE;
        int ace = flags & ASK_ACCURATE;
        if (synAck && ace == ASK_ACCURATE) {
            return 0; // our own flags come back: something broken reflects them
        }
        boolean accurate = synAck ? ace != 0 && ace != TcpHeader.ECE : asksAccurate(flags);
        if (accurate) {
            return resolved | ACCURATE;
        }
        return classic ? resolved : 0;
    }

    /** Whether a SYN asks for accurate ECN. */
    private static boolean asksAccurate(int synFlags) {
        int ace = synFlags & ASK_ACCURATE;
        return ace != 0 && ace != ASK;
    }

    /** Another congestion control took over. */
    static int withController(int state, boolean needsEcn) {
        return needsEcn ? state | PER_PACKET : state & ~(PER_PACKET | LAST_MARKED);
    }

    /** TCP flags of a SYN that asks, or of a SYN-ACK that agrees to the classic kind. */
    static int handshakeFlags(int state, boolean synAck) {
        if (!isNegotiated(state)) {
            return 0;
        }
        if (synAck) {
            return TcpHeader.ECE;
        }
        return (state & ASKED_ACCURATE) != 0 ? ASK_ACCURATE : ASK;
    }

    /** Whether accurate ECN is in force. */
    static boolean isAccurate(int state) {
        return (state & ACCURATE) != 0;
    }

    /** Whether the kind of RFC 3168 is in force. */
    static boolean isClassic(int state) {
        return isNegotiated(state) && !isAccurate(state);
    }

    static boolean isNegotiated(int state) {
        return (state & NEGOTIATED) != 0;
    }

    // ---- sending (RFC 3168 sections 6.1.2 and 6.1.5) -----------------------------------------

    /**
     * The ECN field of a segment that leaves; with accurate ECN only of SYN and SYN-ACK.
     *
     * @param newData it carries data never sent before: a mark on a retransmission could not be
     *     told from a mark on the original, one on a pure ACK would not be answered
     */
    static int codepoint(int state, boolean newData) {
        boolean capable = isNegotiated(state) && (newData || (state & PER_PACKET) != 0);
        return capable ? EcnCodepoint.ECT_0 : EcnCodepoint.NOT_ECT;
    }

    /** ECE and CWR of a segment that leaves; when new data left, see {@link #sentNewData}. */
    static int flags(int state, boolean newData) {
        if (!isClassic(state)) {
            return 0;
        }
        int flags = (state & ECHOES) != 0 ? TcpHeader.ECE : 0;
        return newData && (state & OWES_CWR) != 0 ? flags | TcpHeader.CWR : flags;
    }

    /** CWR is said once. */
    static int sentNewData(int state) {
        return state & ~OWES_CWR;
    }

    /** The congestion window is being reduced, for whatever reason: the peer is told. */
    static int reduced(int state) {
        return isClassic(state) ? state | OWES_CWR : state;
    }

    /** The reduction was taken back before the peer was told. */
    static int restored(int state) {
        return state & ~OWES_CWR;
    }

    /** Whether these flags report congestion to us. */
    static boolean isEcho(int state, int flags) {
        return isClassic(state) && (flags & (TcpHeader.ECE | TcpHeader.SYN)) == TcpHeader.ECE;
    }

    // ---- receiving (RFC 3168 section 6.1.3) --------------------------------------------------

    /** Anything ECN-capable arrived, payload or not (accurate ECN). */
    static int seen(int state, int codepoint) {
        return codepoint == EcnCodepoint.NOT_ECT ? state : state | SEEN;
    }

    /** The peer has reduced its window: the echo ends. */
    static int cwrArrived(int state) {
        return isAccurate(state) ? state : state & ~ECHOES;
    }

    /**
     * Whether data with that ECN field wants quick acknowledgments: the first mark, for its sender
     * may have a small window, and data that is not ECN-capable on a connection that is, for it is
     * probably a retransmission (B-6.3).
     */
    static boolean wantsQuickAcks(int state, int codepoint) {
        return switch (codepoint) {
            case EcnCodepoint.NOT_ECT -> (state & SEEN) != 0;
            case EcnCodepoint.CE -> isClassic(state) && (state & ECHOES) == 0;
            default -> false;
        };
    }

    /** State after data with that ECN field arrived. */
    static int dataArrived(int state, int codepoint) {
        return switch (codepoint) {
            case EcnCodepoint.NOT_ECT -> state;
            case EcnCodepoint.CE -> isClassic(state) ? state | SEEN | ECHOES : state | SEEN;
            default -> state | SEEN;
        };
    }

    /** Whether data with that ECN field must be told apart from the data before it (DCTCP). */
    static boolean changesMark(int state, int codepoint) {
        boolean counts = countsEach(state) && codepoint != EcnCodepoint.NOT_ECT;
        return counts && (codepoint == EcnCodepoint.CE) != ((state & LAST_MARKED) != 0);
    }

    /** DCTCP's echo is a makeshift for what accurate ECN does by itself. */
    private static boolean countsEach(int state) {
        return (state & PER_PACKET) != 0 && !isAccurate(state);
    }

    /** DCTCP's echo before the new data is looked at: that of the data before. */
    static int echoLast(int state) {
        return (state & LAST_MARKED) != 0 ? state | ECHOES : state & ~ECHOES;
    }

    /** DCTCP's echo from data with that ECN field on; CWR plays no part in it. */
    static int echoThis(int state, int codepoint) {
        if (!countsEach(state) || codepoint == EcnCodepoint.NOT_ECT) {
            return state;
        }
        return codepoint == EcnCodepoint.CE
                ? state | LAST_MARKED | ECHOES
                : state & ~(LAST_MARKED | ECHOES);
    }
}
