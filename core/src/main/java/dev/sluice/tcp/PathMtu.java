package dev.sluice.tcp;

/**
 * Sizes of segments: what we advertise, what we may send, and what a path that turned out smaller
 * leaves of it (B-11.1 to B-11.4, RFC 9293 section 3.7).
 */
final class PathMtu {
    /** Peer that sends no MSS option, IPv4 (RFC 9293 MUST-15). */
    static final int DEFAULT_MSS_IPV4 = 536;

    /** The same for IPv6: 1280 less both headers. */
    static final int DEFAULT_MSS_IPV6 = 1220;

    /** No segment is cut smaller than this (B-11.2). */
    static final int MIN_SEND_MSS = 48;

    /** Options of up to this length are always left room for. */
    private static final int TCP_HEADER = 20;

    private PathMtu() {}

    static int networkHeader(boolean ipv4) {
        return ipv4 ? 20 : 40;
    }

    /** The MSS option of our SYN: not reduced by options (B-11.1). */
    static int advertised(Route route, boolean ipv4, int userMss) {
        int mss = route.mtu() - networkHeader(ipv4) - TCP_HEADER;
        if (route.lockedMss() > 0) {
            mss = Math.min(mss, route.lockedMss());
        }
        if (userMss > 0) {
            mss = Math.min(mss, userMss);
        }
        return mss;
    }

    /**
     * Payload of a full segment that carries the fixed options only (Linux {@code tcp_sync_mss}).
     *
     * @param pathMtu largest IP packet the path takes, bytes
     * @param peerMss the peer's MSS option, or the default
     * @param fixedOptions bytes of options on every segment: 12 with timestamps
     * @param maxWindow largest window the peer ever offered; a segment is at most half of it
     */
    static int sending(int pathMtu, boolean ipv4, int peerMss, int fixedOptions, int maxWindow) {
        int mss = Math.min(pathMtu - networkHeader(ipv4) - TCP_HEADER, peerMss) - fixedOptions;
        mss = Math.max(mss, MIN_SEND_MSS);
        return boundToHalfWindow(mss, maxWindow);
    }

    /** B-11.3: a segment is never more than half the largest window, so that two fit. */
    static int boundToHalfWindow(int size, int maxWindow) {
        int cutoff = maxWindow > 536 ? maxWindow >> 1 : maxWindow;
        if (cutoff > 0 && size > cutoff) {
            return Math.max(cutoff, 68 - 40);
        }
        return size;
    }
}
