package dev.sluice.trace;

/** The groups that {@code nstat} and {@code netstat -s} sort counters into, and one of our own. */
public enum CounterGroup {
    IP("Ip"),
    IP_EXT("IpExt"),
    ICMP("Icmp"),
    TCP("Tcp"),
    UDP("Udp"),
    IP6("Ip6"),
    ICMP6("Icmp6"),
    UDP6("Udp6"),
    TCP_EXT("TcpExt"),
    /** What no kernel counts: health of this stack and of the decisions under study. */
    SLUICE("Sluice");

    private final String linuxName;

    CounterGroup(String linuxName) {
        this.linuxName = linuxName;
    }

    public String linuxName() {
        return linuxName;
    }
}
