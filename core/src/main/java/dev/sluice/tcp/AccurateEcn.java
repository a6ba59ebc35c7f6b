package dev.sluice.tcp;

import dev.sluice.wire.EcnCodepoint;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptions;

/**
 * What accurate ECN needs beyond the bits of {@link Ecn}, on a connection that negotiated it or
 * asks for it (RFC 9768; where the RFC leaves a choice, the one of Linux 7, B-6.6).
 *
 * <p>Three conversations in one. As receiver of data: how many segments arrived marked and how many
 * bytes under each codepoint, and when to say so. As sender: what the peer says about ours. And
 * whether the path lets either through: what it tampers with is not used any more.
 */
final class AccurateEcn {
    // Bits of tcpi_accecn_fail_mode.
    /** What we send in the ACE field does not arrive. */
    static final int ACE_FAIL_SEND = 1;

    /** What the peer sends in the ACE field cannot be believed. */
    static final int ACE_FAIL_RECV = 1 << 1;

    /** Segments with the option do not arrive. */
    static final int OPTION_FAIL_SEND = 1 << 2;

    /** The option arrives changed, or came too late to be of use. */
    static final int OPTION_FAIL_RECV = 1 << 3;

    // Values of tcpi_accecn_opt_seen.
    private static final int NOT_SEEN = 0;
    private static final int EMPTY_SEEN = 1;
    private static final int COUNTERS_SEEN = 2;
    private static final int FAIL_SEEN = 3;

    // Values of net.ipv4.tcp_ecn_option.
    private static final int OPTION_WHEN_NEEDED = 1;
    private static final int OPTION_ALWAYS = 2;
    private static final int OPTION_IN_SPITE_OF_LOSS = 3;

    /** The counter of marked packets begins here (section 3.2.1). */
    private static final int INITIAL_CEP = 5;

    private static final int ACE_MASK = 7;

    /** More marks than this not yet reported might be mistaken for fewer. */
    private static final int MOST_PENDING = 6;

    /** Any byte counter that crosses a multiple of this is reported (section 3.2.3.3). */
    private static final int REPORT_EVERY_BYTES = 1 << 22;

    /** Half of the range of a counter: without an option until then, they may have wrapped. */
    private static final long LATEST_FIRST_OPTION = (1 << 23) - 1;

    private static final int FIELDS = 3;
    private static final int EWMA_SHIFT = 6;

    /** Most segments an ACK usually covers for the ACE field to be believed in large ACKs. */
    private static final int COMPRESSED_ACKS = 4;

    // Byte counters by codepoint, less one.
    private final int[] received = new int[FIELDS];
    private final int[] delivered = new int[FIELDS];

    // Receiver of data.
    private int receivedCe;
    private byte pending;
    private byte lastField;
    private byte demand;
    private byte leastFields;
    private boolean sentWithDuplicate;
    private long optionNanos;

    // Sender of data.
    private byte growing;
    private int ackedAverage;

    // Handshake and tampering.
    private byte synSent;
    private byte synReceived;
    private byte seen;
    private byte failed;

    /** The ACK that ends the handshake reflects an ECN field and counts nothing yet. */
    private boolean reflecting;

    // ---- handshake ---------------------------------------------------------------------------

    /** Our SYN or SYN-ACK leaves with that ECN field. */
    void synSent(int codepoint) {
        synSent = (byte) codepoint;
    }

    /** The peer's SYN or SYN-ACK arrived with that ECN field, which is to be told back. */
    void synReceived(int codepoint) {
        synReceived = (byte) codepoint;
        lastField = (byte) codepoint;
    }

    /** ACE field of a SYN-ACK and of the ACK that ends the handshake (section 3.1, table 2). */
    int reflectedFlags() {
        return switch (synReceived) {
            case EcnCodepoint.ECT_1 -> TcpHeader.CWR | TcpHeader.ECE;
            case EcnCodepoint.ECT_0 -> TcpHeader.AE;
            case EcnCodepoint.CE -> TcpHeader.AE | TcpHeader.CWR;
            default -> TcpHeader.CWR;
        };
    }

    /** The SYN-ACK was repeated by the timer more than once, or a SYN came without ACE. */
    void fails(int bits) {
        failed |= (byte) bits;
    }

    /**
     * The SYN-ACK arrived: was our field altered on the way, was its own marked (section 3.2.2.3)?
     */
    void synAckArrived(int flags, int codepoint, TcpOptions options, boolean checks) {
        synReceived = (byte) codepoint;
        int ace = ace(flags);
        // 101 comes from an earlier version of the protocol and tells nothing about our SYN.
        if (codepoint == EcnCodepoint.CE && (ace == 5 || isReflected(ace, checks))) {
            receivedCe++;
            pending++;
        }
        if (options.accEcnCounters() >= 0 && seen < COUNTERS_SEEN) {
            optionArrived(options);
            demand = 2;
        }
    }

    /**
     * The ACK that ends the handshake (section 3.2.2.1, table 4).
     *
     * @param checks net.ipv4.tcp_ecn_fallback
     * @return whether our SYN-ACK was marked on its way
     */
    boolean thirdAckArrived(int flags, boolean pureAck, TcpOptions options, boolean checks) {
        if (options.accEcnCounters() >= 0 && seen < COUNTERS_SEEN) {
            optionArrived(options);
        }
        demand = 1;
        reflecting = true;
        int ace = ace(flags);
        switch (ace) {
            case 0 -> {
                if (options.sackCount() == 0) {
                    failed |= ACE_FAIL_RECV | OPTION_FAIL_RECV;
                }
            }
            case 1, 5, 7 -> {
                // Not used, and not forbidden.
            }
            default -> {
                if (pureAck && options.sackCount() == 0 && isReflected(ace, checks)) {
                    return ace == 6;
                }
            }
        }
        return false;
    }

    /** The ACK that ends the handshake was processed: those that follow count. */
    void handshakeDone() {
        reflecting = false;
    }

    /** Whether what the peer saw is something the path may make of what we sent. */
    private boolean isReflected(int ace, boolean checks) {
        int seenByPeer =
                switch (ace) {
                    case 2 -> EcnCodepoint.NOT_ECT;
                    case 0, 4 -> EcnCodepoint.ECT_0;
                    case 6 -> EcnCodepoint.CE;
                    default -> EcnCodepoint.ECT_1;
                };
        boolean changedKind =
                synSent == EcnCodepoint.NOT_ECT
                        || seenByPeer == EcnCodepoint.NOT_ECT
                        || synSent == EcnCodepoint.CE;
        if (!checks || seenByPeer == synSent || !changedKind) {
            return true;
        }
        failed |= ACE_FAIL_RECV;
        return false;
    }

    private static int ace(int flags) {
        return (flags & (TcpHeader.AE | TcpHeader.CWR | TcpHeader.ECE)) >>> 6;
    }

    /** The peer's SYN or SYN-ACK came once more: our answer tells its ECN field. */
    void repeatedSynArrived(int codepoint, TcpOptions options) {
        synReceived = (byte) codepoint;
        if (options.accEcnCounters() >= 0 && seen < COUNTERS_SEEN) {
            optionArrived(options);
            demand = (byte) Math.max(demand, 1);
        }
    }

    // ---- receiver of data --------------------------------------------------------------------

    /**
     * An acceptable segment arrived.
     *
     * @param segments how many wire segments it stands for
     * @return whether an acknowledgment that is owed must not wait: the ECN field changed
     */
    boolean arrived(int codepoint, int segments, int payloadLength) {
        boolean marked = codepoint == EcnCodepoint.CE;
        if (codepoint != EcnCodepoint.NOT_ECT) {
            if (marked) {
                receivedCe += segments;
                pending = (byte) Math.min(pending + segments, 15);
            }
            if (payloadLength > 0) {
                count(codepoint, payloadLength);
            }
        }
        boolean changed = codepoint != lastField;
        if (changed || marked) {
            lastField = (byte) codepoint;
            // Two, so that the second shows for certain what is arriving now.
            demand = 2;
        }
        return changed;
    }

    private void count(int codepoint, int bytes) {
        int before = received[codepoint - 1];
        received[codepoint - 1] += bytes;
        int place =
                switch (codepoint) {
                    case EcnCodepoint.ECT_1 -> 1;
                    case EcnCodepoint.CE -> 2;
                    default -> 3;
                };
        leastFields = (byte) Math.max(leastFields, place);
        if (((before ^ received[codepoint - 1]) & -REPORT_EVERY_BYTES) != 0) {
            demand = (byte) Math.max(demand, 1);
        }
    }

    /** So many marks are unreported that the next acknowledgment must not wait. */
    boolean isUrgent() {
        return pending >= MOST_PENDING;
    }

    /** ACE field of a segment that leaves after the handshake: the count of marked packets. */
    int flags() {
        return (receivedCe + INITIAL_CEP & ACE_MASK) << 6;
    }

    /** Everything leaves ECN-capable, unless the path does not carry the feedback back. */
    int codepoint() {
        boolean fails = (failed & (ACE_FAIL_SEND | ACE_FAIL_RECV)) != 0;
        return fails ? EcnCodepoint.NOT_ECT : EcnCodepoint.ECT_0;
    }

    // ---- the option --------------------------------------------------------------------------

    /**
     * Whether a segment that leaves should carry the option.
     *
     * @param mode net.ipv4.tcp_ecn_option
     * @param beacons net.ipv4.tcp_ecn_option_beacon, options per round trip
     */
    boolean wantsOption(long now, int mode, int beacons, long srttNanos) {
        if (mode < OPTION_WHEN_NEEDED || seen == NOT_SEEN) {
            return false;
        }
        if ((failed & OPTION_FAIL_SEND) != 0 && mode < OPTION_IN_SPITE_OF_LOSS) {
            return false;
        }
        boolean beacon = beacons > 0 && now - optionNanos >= srttNanos / beacons;
        return mode >= OPTION_ALWAYS || demand > 0 || beacon;
    }

    /** Counters that cannot be left out. */
    int leastFields() {
        return leastFields;
    }

    /**
     * How many counters fit, if need be at the price of SACK blocks beyond the second.
     *
     * @param room bytes that the other options leave
     * @param blocks SACK blocks among those
     * @return counters in the low four bits, SACK blocks to be dropped above them; -1 if the option
     *     does not fit
     */
    int fit(int room, int blocks) {
        int left = room;
        int dropped = 0;
        int fields = FIELDS;
        while (fields >= leastFields) {
            if (bytes(fields, blocks > 0) <= left) {
                return fields | dropped << 4;
            }
            if (fields == leastFields && blocks - dropped > 2 && leastFields > 0) {
                dropped++;
                left += 8;
                fields = FIELDS;
            } else {
                fields--;
            }
        }
        return -1;
    }

    /** Bytes the option adds; it may use the two bytes of padding in front of SACK blocks. */
    static int bytes(int fields, boolean withSack) {
        int size = 2 + 3 * fields;
        boolean combines = (size & 3) <= (withSack ? 2 : 0);
        return combines ? size & ~3 : size + 3 & ~3;
    }

    /** A byte counter as the option carries it; those of ECT begin at 1 to show if it is zeroed. */
    int optionCounter(int codepoint) {
        return received[codepoint - 1] + initial(codepoint);
    }

    static int initial(int codepoint) {
        return codepoint == EcnCodepoint.CE ? 0 : 1;
    }

    /**
     * A segment left.
     *
     * @param withDuplicate it also reported a duplicate
     */
    void sent(long now, boolean withOption, boolean withDuplicate) {
        pending = 0;
        sentWithDuplicate = withOption && withDuplicate;
        if (withOption) {
            leastFields = 0;
            optionNanos = now;
            demand = (byte) Math.max(0, demand - 1);
        }
    }

    /**
     * Data arrived once more although an ACK told so already, with the option: acknowledgments with
     * the option do not get through (section 3.2.3.2.5).
     */
    void duplicateArrived(boolean toldBefore) {
        if (sentWithDuplicate && toldBefore) {
            failed |= OPTION_FAIL_SEND;
        }
    }

    /** The first option of the peer: zeros where it began with ones show a meddler. */
    private void optionArrived(TcpOptions options) {
        if (options.accEcnCounters() == 0) {
            seen = EMPTY_SEEN;
        } else if (options.accEcnE0() == 0 || options.accEcnE1() == 0) {
            seen = FAIL_SEEN;
            failed |= OPTION_FAIL_RECV;
        } else {
            seen = COUNTERS_SEEN;
        }
    }

    // ---- sender of data ----------------------------------------------------------------------

    /**
     * How many of our packets the peer newly reports as marked (section 3.2.2.5, appendix A.2).
     *
     * @param flags of the ACK
     * @param known how many were reported so far
     * @param packets segments that the ACK newly delivered
     * @param bytes payload in these
     * @param mss payload of a full segment
     * @param sentBytes everything sent so far
     * @param orderly SACK, or nothing being repaired: deliveries are counted reliably
     */
    int marked(
            int flags,
            TcpOptions options,
            int known,
            int packets,
            int bytes,
            int mss,
            long sentBytes,
            boolean orderly) {
        int before = delivered[EcnCodepoint.CE - 1];
        boolean counters = takeCounters(options, bytes, sentBytes);
        if (packets > 0) {
            int average = packets << EWMA_SHIFT;
            if (ackedAverage > 0) {
                average = (ackedAverage * ((1 << EWMA_SHIFT) - 1) + average) >> EWMA_SHIFT;
            }
            ackedAverage = Math.min(average, 0xffff);
        }
        if (reflecting) {
            return 0;
        }
        int delta = ace(flags) - INITIAL_CEP - known & ACE_MASK;
        if (packets <= ACE_MASK) {
            return delta;
        }
        // The field may have wrapped: from the least that is possible to the most.
        int most = packets - (packets - delta & ACE_MASK);
        if (!counters) {
            boolean usual = ackedAverage > COMPRESSED_ACKS << EWMA_SHIFT;
            return usual ? delta : most;
        }
        int markedBytes = delivered[EcnCodepoint.CE - 1] - before;
        if (markedBytes == 0) {
            return delta;
        }
        if (packets >= 2 * (ACE_MASK + 1) && orderly) {
            return byShare(delta, most, markedBytes, packets, bytes);
        }
        if (markedBytes > (long) delta * mss) {
            return most;
        }
        return markedBytes < (long) most * mss >> 1 ? delta : most;
    }

    private static int byShare(int delta, int most, int markedBytes, int packets, int bytes) {
        if (bytes <= markedBytes) {
            return most;
        }
        long estimate = ((long) markedBytes * packets + bytes - 1) / bytes;
        return (int) Math.min(most, delta + (estimate & ~ACE_MASK));
    }

    /** Takes over the byte counters of the option; whether they tell how many bytes were marked. */
    private boolean takeCounters(TcpOptions options, int bytes, long sentBytes) {
        if ((failed & OPTION_FAIL_RECV) != 0) {
            return false;
        }
        if (options.accEcnCounters() < 0) {
            if (seen == NOT_SEEN) {
                if (sentBytes >= LATEST_FIRST_OPTION) {
                    seen = FAIL_SEEN;
                    failed |= OPTION_FAIL_RECV;
                }
                return false;
            }
            if (growing == 0) {
                return false;
            }
            delivered[growing - 1] += bytes;
            return true;
        }
        if (seen < COUNTERS_SEEN) {
            optionArrived(options);
        }
        int before = growing;
        boolean usable = before != 0;
        int changed = 0;
        boolean ambiguous = false;
        for (int codepoint = 1; codepoint <= FIELDS; codepoint++) {
            int counter =
                    switch (codepoint) {
                        case EcnCodepoint.ECT_1 -> options.accEcnE1();
                        case EcnCodepoint.ECT_0 -> options.accEcnE0();
                        default -> options.accEcnCe();
                    };
            if (counter < 0) {
                continue;
            }
            // 24 bits with a sign: after a reordered ACK a counter may seem to go back.
            int delta = counter - initial(codepoint) - delivered[codepoint - 1] << 8 >> 8;
            delivered[codepoint - 1] += delta;
            if (delta < 0) {
                usable = false;
                ambiguous = true;
            }
            if (delta != 0 && codepoint != before) {
                if (changed != 0) {
                    usable = false;
                    ambiguous = true;
                } else {
                    changed = codepoint;
                }
            }
        }
        if (changed != 0) {
            growing = (byte) changed;
        }
        if (ambiguous) {
            growing = 0;
        }
        return usable;
    }

    // ---- for tcp_info ------------------------------------------------------------------------

    /** Marked segments that arrived. */
    int receivedCe() {
        return receivedCe;
    }

    /** Bytes that arrived under a codepoint. */
    int receivedBytes(int codepoint) {
        return received[codepoint - 1];
    }

    /** Bytes that the peer reports to have arrived under a codepoint. */
    int deliveredBytes(int codepoint) {
        return delivered[codepoint - 1];
    }

    int optionSeen() {
        return seen;
    }

    int failMode() {
        return failed;
    }
}
