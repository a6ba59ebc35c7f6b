package dev.sluice.lab.packetdrill;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What a shell command of a script means to the stack under test. */
public sealed interface ShellEffect {
    /** Where the command begins. */
    Position position();

    /** {@code defaults.sh}: the settings the public suites start from. */
    record LoadDefaults(Position position) implements ShellEffect {}

    /** Sets a parameter, named with points. */
    record SetSysctl(Position position, String name, String value) implements ShellEffect {}

    /**
     * Runs the script that undoes earlier settings. A stack lives for one script: nothing to do.
     */
    record RestoreSysctls(Position position) implements ShellEffect {}

    /** {@code nstat} with nobody reading: later counts are from here. */
    record ResetCounters(Position position) implements ShellEffect {}

    /**
     * {@code nstat | grep NAME [| grep " N "]}: the counter moved since the last look, by {@code N}
     * where that is given. Looking resets it.
     *
     * @param name the name as nstat prints it, {@code TcpExtBeyondWindow}
     */
    record ExpectCounter(Position position, String name, OptionalLong value)
            implements ShellEffect {}

    /** How packets leave the device. */
    enum Discipline {
        /** In order, up to a limit. */
        FIFO,
        /** In order of their departure times. */
        FAIR_QUEUE
    }

    /**
     * {@code tc qdisc}.
     *
     * @param limit packets the queue holds; 0 drops everything
     */
    record SetQdisc(Position position, Discipline discipline, OptionalInt limit)
            implements ShellEffect {}

    /**
     * {@code ip route change}: attributes of the route to the other side.
     *
     * @param mtuLocked path MTU discovery may not change the MTU
     */
    record SetRoute(
            Position position,
            OptionalInt mtu,
            boolean mtuLocked,
            OptionalInt advertisedMss,
            OptionalInt initialWindow)
            implements ShellEffect {}

    /** {@code ip link set mtu}. */
    record SetDeviceMtu(Position position, int mtu) implements ShellEffect {}

    /** {@code ip tcp_metrics flush}: forgets Fast Open cookies and path metrics. */
    record FlushMetrics(Position position) implements ShellEffect {}

    /** {@code ethtool -K}: switches an offload of the device. */
    record SetOffload(Position position, String feature, boolean enabled) implements ShellEffect {}

    /** Makes a file of zero bytes, to be sent. */
    record CreateFile(Position position, String path, long length) implements ShellEffect {}

    /** Removes a file made earlier. */
    record RemoveFile(Position position, String path) implements ShellEffect {}

    /** Writes a parameter of a kernel module. */
    record SetModuleParameter(Position position, String module, String parameter, String value)
            implements ShellEffect {}

    /**
     * Demands a number of sockets in a state.
     *
     * @param state name as the tool prints it, {@code LISTEN} or {@code TIME_WAIT}
     * @param localPort only those with this port, if given
     */
    record ExpectSockets(Position position, String state, OptionalInt localPort, int count)
            implements ShellEffect {}

    /** {@code tcpdrop -s STATE}: drops all connections in a state. */
    record DropConnections(Position position, String state) implements ShellEffect {}

    /** {@code a || b}: the second only if the first cannot be done. */
    record OrElse(Position position, List<ShellEffect> first, List<ShellEffect> otherwise)
            implements ShellEffect {
        public OrElse {
            first = List.copyOf(first);
            otherwise = List.copyOf(otherwise);
        }
    }

    /** Something this interpreter does not know. */
    record Unsupported(Position position, String command, Optional<String> reason)
            implements ShellEffect {}
}
