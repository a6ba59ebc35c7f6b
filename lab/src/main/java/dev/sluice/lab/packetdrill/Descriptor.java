package dev.sluice.lab.packetdrill;

import dev.sluice.socket.ListenSocket;
import dev.sluice.socket.StreamSocket;

import java.util.ArrayList;
import java.util.List;

/** What a file descriptor of a script stands for. */
sealed interface Descriptor {
    /** A TCP socket; {@code listening} takes over when it listens. */
    final class Socket implements Descriptor {
        final StreamSocket stream;
        ListenSocket listening;
        boolean nonBlocking;

        /** Epoll sets that watch it. */
        final List<EpollSet> watchers = new ArrayList<>();

        Socket(StreamSocket stream, boolean nonBlocking) {
            this.stream = stream;
            this.nonBlocking = nonBlocking;
        }

        int readySet() {
            return listening != null ? listening.readySet() : stream.readySet();
        }
    }

    /** A file of zeros. */
    final class ZeroFile implements Descriptor {
        final long length;
        long position;

        ZeroFile(long length) {
            this.length = length;
        }
    }

    /** Both ends of a pipe share one; only the number of bytes matters. */
    final class Pipe implements Descriptor {
        static final int CAPACITY_BYTES = 65_536;

        int bytes;
    }

    /** An epoll instance. */
    final class EpollSet implements Descriptor {
        final List<Watch> watches = new ArrayList<>();
    }

    /** A descriptor in an epoll set. */
    final class Watch {
        final int descriptor;
        final Socket socket;
        int events;
        long data;
        boolean disabled;

        /** Something happened since it was last reported; what edge-triggered watches go by. */
        boolean raised;

        Watch(int descriptor, Socket socket) {
            this.descriptor = descriptor;
            this.socket = socket;
        }
    }
}
