package dev.sluice.stack;

import dev.sluice.tcp.Endpoint;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpListener;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * From a 4-tuple to a connection or half-open row, and from a local port to a listener. Open
 * addressing with a keyed hash, so that a peer cannot choose its ports to collide.
 */
final class Demux {
    private final long key;
    private Endpoint[] table = new Endpoint[64];
    private int count;

    private TcpListener[] listeners = new TcpListener[8];
    private int listenerCount;

    Demux(long key) {
        this.key = key;
    }

    int count() {
        return count;
    }

    private int hash(long localHi, long localLo, long remoteHi, long remoteLo, int ports) {
        long h = key ^ ports;
        h = (h ^ remoteLo) * 0x9e37_79b9_7f4a_7c15L;
        h = (h ^ h >>> 32 ^ localLo) * 0xbf58_476d_1ce4_e5b9L;
        h = (h ^ h >>> 32 ^ remoteHi ^ localHi) * 0x94d0_49bb_1331_11ebL;
        return (int) (h >>> 33);
    }

    private int home(Endpoint e) {
        int ports = e.localPort() << 16 | e.remotePort();
        return hash(e.localHi(), e.localLo(), e.remoteHi(), e.remoteLo(), ports) & table.length - 1;
    }

    /** The connection or row of a 4-tuple, or null. */
    Endpoint find(
            long localHi,
            long localLo,
            int localPort,
            long remoteHi,
            long remoteLo,
            int remotePort) {
        int ports = localPort << 16 | remotePort;
        int slot = hash(localHi, localLo, remoteHi, remoteLo, ports) & table.length - 1;
        for (Endpoint e = table[slot]; e != null; e = table[slot]) {
            if (e.remotePort() == remotePort
                    && e.localPort() == localPort
                    && e.remoteLo() == remoteLo
                    && e.localLo() == localLo
                    && e.remoteHi() == remoteHi
                    && e.localHi() == localHi) {
                return e;
            }
            slot = slot + 1 & table.length - 1;
        }
        return null;
    }

    void add(Endpoint endpoint) {
        if (2 * (count + 1) > table.length) {
            rehash();
        }
        insert(endpoint);
        count++;
    }

    private void insert(Endpoint endpoint) {
        int slot = home(endpoint);
        while (table[slot] != null) {
            slot = slot + 1 & table.length - 1;
        }
        table[slot] = endpoint;
    }

    private void rehash() {
        Endpoint[] old = table;
        table = new Endpoint[old.length * 2];
        for (Endpoint e : old) {
            if (e != null) {
                insert(e);
            }
        }
    }

    /** Takes it out; nothing happens if it is not in. Backward-shift deletion, no tombstones. */
    void remove(Endpoint endpoint) {
        int mask = table.length - 1;
        int hole = home(endpoint);
        while (table[hole] != endpoint) {
            if (table[hole] == null) {
                return;
            }
            hole = hole + 1 & mask;
        }
        int slot = hole;
        while (true) {
            slot = slot + 1 & mask;
            if (table[slot] == null) {
                break;
            }
            int wanted = home(table[slot]);
            if ((slot - wanted & mask) >= (slot - hole & mask)) {
                table[hole] = table[slot];
                hole = slot;
            }
        }
        table[hole] = null;
        count--;
    }

    /** Visits every connection, in table order, which depends on the key and nothing else. */
    void forEachConnection(Consumer<TcpConnection> visitor) {
        for (Endpoint e : table) {
            if (e instanceof TcpConnection c) {
                visitor.accept(c);
            }
        }
    }

    // ---- listeners ---------------------------------------------------------------------------

    /**
     * The listener for a local address and port: bound to the address, else to any; null if none.
     */
    TcpListener findListener(long localHi, long localLo, int localPort) {
        TcpListener any = null;
        for (int i = 0; i < listenerCount; i++) {
            TcpListener l = listeners[i];
            if (l.localPort() != localPort) {
                continue;
            }
            if (l.localLo() == localLo && l.localHi() == localHi) {
                return l;
            }
            if (isAny(l, localHi, localLo)) {
                any = l;
            }
        }
        return any;
    }

    /** ":: "takes both families, 0.0.0.0 only IPv4. */
    private static boolean isAny(TcpListener l, long localHi, long localLo) {
        if (l.localHi() == 0 && l.localLo() == 0) {
            return true;
        }
        return l.localHi() == 0
                && l.localLo() == 0xffff_0000_0000L
                && dev.sluice.wire.IpAddress.isIpv4(localHi, localLo);
    }

    void forEachListener(Consumer<TcpListener> visitor) {
        for (int i = 0; i < listenerCount; i++) {
            visitor.accept(listeners[i]);
        }
    }

    void addListener(TcpListener listener) {
        if (listenerCount == listeners.length) {
            listeners = Arrays.copyOf(listeners, listenerCount * 2);
        }
        listeners[listenerCount++] = listener;
    }

    void removeListener(TcpListener listener) {
        for (int i = 0; i < listenerCount; i++) {
            if (listeners[i] == listener) {
                System.arraycopy(listeners, i + 1, listeners, i, listenerCount - i - 1);
                listeners[--listenerCount] = null;
                return;
            }
        }
    }

    /** Whether a listener holds the port on that address or on any. */
    boolean hasListener(long localHi, long localLo, int localPort) {
        boolean any = localLo == 0 || localLo == 0xffff_0000_0000L;
        for (int i = 0; i < listenerCount; i++) {
            TcpListener l = listeners[i];
            if (l.localPort() == localPort
                    && (any
                            || isAny(l, localHi, localLo)
                            || l.localLo() == localLo && l.localHi() == localHi)) {
                return true;
            }
        }
        return false;
    }
}
