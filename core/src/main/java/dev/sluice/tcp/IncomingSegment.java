package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.wire.TcpHeader;

/**
 * The segment at hand, with its numbers as offsets: a flyweight that the stack owns and refills.
 *
 * <p>Field names follow RFC 9293 section 3.3.1: {@code seq} is SEG.SEQ and so on.
 */
final class IncomingSegment {
    static final int MAX_SACK = 4;

    TcpHeader header;
    PacketBuffer packet;

    /** Flag bits as {@link TcpHeader} defines them. */
    int flags;

    /** SEG.SEQ as an offset in the peer's stream. */
    long seq;

    /** One past the last sequence number used: SEG.SEQ + SEG.LEN, where SYN and FIN count. */
    long end;

    /** SEG.ACK as an offset in our stream; meaningful if the ACK bit is set. */
    long ack;

    /** SEG.WND after scaling, in bytes. */
    int wnd;

    /** Payload bytes, without SYN and FIN. */
    int payloadLength;

    /** How many wire segments this stands for (receive coalescing). */
    int segments;

    boolean hasTimestamp;
    int tsVal;
    int tsEcr;

    int sackCount;
    final long[] sackStart = new long[MAX_SACK];
    final long[] sackEnd = new long[MAX_SACK];

    /** The two ECN bits of the IP header: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE. */
    int ecn;

    /** Set by whoever took ownership of {@link #packet}. */
    boolean kept;

    /** Set by the spine where ECN was negotiated and the segment says ECE. */
    boolean ecnEcho;

    /** Its timestamp is newer than any before: an old ACK it is not. */
    boolean newerTimestamp;

    /** Takes the header's numbers; {@code packet}'s window is the payload. */
    void fill(
            TcpHeader h,
            PacketBuffer p,
            int ecnBits,
            long seqOffset,
            long ackOffset,
            int windowShift) {
        header = h;
        packet = p;
        flags = h.flags();
        payloadLength = h.payloadLength();
        for (PacketBuffer piece = p.chain(); piece != null; piece = piece.chain()) {
            payloadLength += piece.wireLength();
        }
        seq = seqOffset;
        end = seqOffset + payloadLength + (flags & TcpHeader.FIN) + ((flags & TcpHeader.SYN) >>> 1);
        ack = ackOffset;
        wnd = (flags & TcpHeader.SYN) != 0 ? h.segWnd() : h.segWnd() << windowShift;
        segments = p.segmentCount();
        hasTimestamp = h.options().hasTimestamps();
        tsVal = h.options().tsVal();
        tsEcr = h.options().tsEcr();
        ecn = ecnBits;
        ecnEcho = false;
        newerTimestamp = false;
        kept = false;
    }

    void fillSack(SequenceSpace sequence, long sndUna) {
        sackCount = header.options().sackCount();
        for (int i = 0; i < sackCount; i++) {
            sackStart[i] = sequence.sendOffset(header.options().sackLeft(i), sndUna);
            sackEnd[i] = sequence.sendOffset(header.options().sackRight(i), sndUna);
        }
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }
}
