package dev.sluice.tcp;

import dev.sluice.config.StackConfig;
import dev.sluice.wire.IpAddress;

/**
 * What a stack needs for TCP Fast Open (RFC 7413, B-10.3) whatever the connection: the switches of
 * {@code tcp_fastopen}, and the cookies it gives out and recognises. A cookie is a keyed hash of
 * the two addresses, so nothing has to be remembered to check one.
 */
final class FastOpen {
    /** Bits of {@code tcp_fastopen}: outgoing Fast Open is allowed. */
    static final int CLIENT = 1;

    /** Incoming Fast Open is allowed. */
    static final int SERVER = 2;

    /** Data goes into a SYN without a cookie. */
    static final int CLIENT_WITHOUT_COOKIE = 4;

    /** Data of a SYN without a cookie is taken. */
    static final int SERVER_WITHOUT_COOKIE = 0x200;

    /** Every listener allows it, without TCP_FASTOPEN. */
    static final int EVERY_LISTENER = 0x400;

    /** Bytes of the cookies we give out. */
    static final int COOKIE_LENGTH = 8;

    /** {@link #check}: no key of ours makes this cookie. */
    static final int INVALID = 0;

    /** {@link #check}: made with the current key. */
    static final int CURRENT = 1;

    /** {@link #check}: made with the previous key. */
    static final int PREVIOUS = 2;

    private static final int MAX_DOUBLINGS = 6;

    private final SipHash siphash = new SipHash();
    private final FastOpenKeys generated;
    private FastOpenKeys keys;
    private int bits;

    // The pause of outgoing Fast Open after trouble; each in a row is twice as long, up to a limit.
    private final long firstPauseNanos;
    private long pausedSince;
    private int pauses;

    /**
     * @param key0 half of the key that is used unless the configuration names one
     */
    FastOpen(StackConfig config, long key0, long key1) {
        bits = config.fastOpenBits;
        generated = new FastOpenKeys(key0, key1, false, 0, 0);
        keys = configured(config);
        firstPauseNanos = config.fastOpenBlackholeTimeoutNanos;
    }

    private FastOpenKeys configured(StackConfig config) {
        if (config.fastOpenKeyHigh == 0 && config.fastOpenKeyLow == 0) {
            return generated;
        }
        return FastOpenKeys.ofGroups(
                config.fastOpenKeyHigh,
                config.fastOpenKeyLow,
                config.fastOpenPreviousKey,
                config.fastOpenPreviousKeyHigh,
                config.fastOpenPreviousKeyLow);
    }

    /** The switches in force: {@code tcp_fastopen}. */
    int bits() {
        return bits;
    }

    /** Changes the switches of a running stack, as writing {@code tcp_fastopen} does. */
    void bits(int value) {
        bits = value;
    }

    /**
     * No outgoing Fast Open for a while; false if {@code tcp_fastopen_blackhole_timeout_sec} is 0.
     */
    boolean pause(long now) {
        if (firstPauseNanos == 0) {
            return false;
        }
        pausedSince = now;
        pauses++;
        return true;
    }

    boolean isPaused(long now) {
        return pauses > 0
                && now - pausedSince < firstPauseNanos << Math.min(pauses - 1, MAX_DOUBLINGS);
    }

    /** There was trouble, and no success since. */
    boolean wasPaused() {
        return pauses > 0;
    }

    /** It works again. */
    void trust() {
        pauses = 0;
    }

    /** Whether all of these bits are set. */
    boolean has(int wanted) {
        return (bits & wanted) == wanted;
    }

    /**
     * Changes the keys of a running stack.
     *
     * @param bytes 16, or 32 with the previous key
     * @return false for any other length
     */
    boolean keys(byte[] bytes) {
        FastOpenKeys changed = FastOpenKeys.ofBytes(bytes);
        if (changed != null) {
            keys = changed;
        }
        return changed != null;
    }

    /**
     * The cookie for a client at a server address, first byte most significant.
     *
     * @param own the keys of the listener; null for the stack's
     */
    long cookie(FastOpenKeys own, long serverHi, long serverLo, long clientHi, long clientLo) {
        FastOpenKeys k = own == null ? keys : own;
        return cookie(k.current0(), k.current1(), serverHi, serverLo, clientHi, clientLo);
    }

    /**
     * Which key made this cookie.
     *
     * @param cookie its eight bytes, first byte most significant
     */
    int check(
            FastOpenKeys own,
            long cookie,
            long serverHi,
            long serverLo,
            long clientHi,
            long clientLo) {
        if (cookie == cookie(own, serverHi, serverLo, clientHi, clientLo)) {
            return CURRENT;
        }
        FastOpenKeys k = own == null ? keys : own;
        boolean previous =
                k.hasPrevious()
                        && cookie
                                == cookie(
                                        k.previous0(),
                                        k.previous1(),
                                        serverHi,
                                        serverLo,
                                        clientHi,
                                        clientLo);
        return previous ? PREVIOUS : INVALID;
    }

    /** As Linux does it: source and destination of the SYN as they stand in its IP header. */
    private long cookie(
            long key0, long key1, long serverHi, long serverLo, long clientHi, long clientLo) {
        siphash.begin(key0, key1);
        long hash;
        if (IpAddress.isIpv4(clientHi, clientLo)) {
            long both = clientLo << 32 | serverLo & 0xffff_ffffL;
            hash = siphash.word(Long.reverseBytes(both)).finish(8);
        } else {
            hash =
                    siphash.word(Long.reverseBytes(clientHi))
                            .word(Long.reverseBytes(clientLo))
                            .word(Long.reverseBytes(serverHi))
                            .word(Long.reverseBytes(serverLo))
                            .finish(32);
        }
        return Long.reverseBytes(hash);
    }
}
