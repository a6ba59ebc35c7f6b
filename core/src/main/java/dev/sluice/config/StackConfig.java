package dev.sluice.config;

/**
 * The configuration of one stack: every key of the table {@link Sysctl}, compiled into plain
 * fields.
 *
 * <p>Immutable. Made once from the defaults and what a {@link Builder} was told; a changed
 * configuration is another object ({@link #toBuilder}). Hot code reads the fields and never looks
 * up a key. A field without a comment means what the key says that it is made from; times are
 * nanoseconds, sizes bytes unless the name says otherwise. The buffer limits {@code rmem*} and
 * {@code wmem*} bound truesize, not payload.
 */
public final class StackConfig {
    private final long[][] values;

    // Sockets of all kinds; core* are net.core.*, to be told from the TCP triples below

    public final int somaxconn = integer(Sysctl.SOMAXCONN);
    public final int coreRmemDefault = integer(Sysctl.RMEM_DEFAULT);
    public final int coreRmemMax = integer(Sysctl.RMEM_MAX);
    public final int coreWmemDefault = integer(Sysctl.WMEM_DEFAULT);
    public final int coreWmemMax = integer(Sysctl.WMEM_MAX);
    public final int receiveBacklogPackets = integer(Sysctl.NETDEV_MAX_BACKLOG);

    // TCP memory and buffers

    public final long memMinPages = number(Sysctl.TCP_MEM, 0);
    public final long memPressurePages = number(Sysctl.TCP_MEM, 1);
    public final long memMaxPages = number(Sysctl.TCP_MEM, 2);
    public final int rmemMin = integer(Sysctl.TCP_RMEM, 0);
    public final int rmemInitial = integer(Sysctl.TCP_RMEM, 1);
    public final int rmemMax = integer(Sysctl.TCP_RMEM, 2);
    public final int wmemMin = integer(Sysctl.TCP_WMEM, 0);
    public final int wmemInitial = integer(Sysctl.TCP_WMEM, 1);
    public final int wmemMax = integer(Sysctl.TCP_WMEM, 2);
    public final boolean moderateRcvbuf = flag(Sysctl.TCP_MODERATE_RCVBUF);
    public final long rcvbufLowRttNanos = micros(Sysctl.TCP_RCVBUF_LOW_RTT);
    public final boolean shrinkWindow = flag(Sysctl.TCP_SHRINK_WINDOW);
    public final long notsentLowatBytes = number(Sysctl.TCP_NOTSENT_LOWAT);
    public final int limitOutputBytes = integer(Sysctl.TCP_LIMIT_OUTPUT_BYTES);
    public final int maxOrphans = integer(Sysctl.TCP_MAX_ORPHANS);
    public final int maxTimeWait = integer(Sysctl.TCP_MAX_TW_BUCKETS);

    // TCP options and negotiation

    public final boolean sack = flag(Sysctl.TCP_SACK);
    public final boolean dsack = flag(Sysctl.TCP_DSACK);
    public final int timestampsMode = integer(Sysctl.TCP_TIMESTAMPS);
    public final boolean windowScaling = flag(Sysctl.TCP_WINDOW_SCALING);
    public final int ecnMode = integer(Sysctl.TCP_ECN);
    public final boolean ecnFallback = flag(Sysctl.TCP_ECN_FALLBACK);
    public final int ecnOptionMode = integer(Sysctl.TCP_ECN_OPTION);
    public final int ecnOptionBeaconsPerRtt = integer(Sysctl.TCP_ECN_OPTION_BEACON);
    public final int fastOpenBits = integer(Sysctl.TCP_FASTOPEN);

    /** The current Fast Open key, high and low half; both 0 if the stack is to make one. */
    public final long fastOpenKeyHigh = number(Sysctl.TCP_FASTOPEN_KEY, 0);

    public final long fastOpenKeyLow = number(Sysctl.TCP_FASTOPEN_KEY, 1);

    /** Whether cookies made with a previous key are still accepted. */
    public final boolean fastOpenPreviousKey = count(Sysctl.TCP_FASTOPEN_KEY) == 4;

    public final long fastOpenPreviousKeyHigh =
            fastOpenPreviousKey ? number(Sysctl.TCP_FASTOPEN_KEY, 2) : 0;

    public final long fastOpenPreviousKeyLow =
            fastOpenPreviousKey ? number(Sysctl.TCP_FASTOPEN_KEY, 3) : 0;

    public final long fastOpenBlackholeTimeoutNanos =
            seconds(Sysctl.TCP_FASTOPEN_BLACKHOLE_TIMEOUT_SEC);
    public final int minSndMss = integer(Sysctl.TCP_MIN_SND_MSS);
    public final boolean workaroundSignedWindows = flag(Sysctl.TCP_WORKAROUND_SIGNED_WINDOWS);
    public final boolean reflectTos = flag(Sysctl.TCP_REFLECT_TOS);

    // TCP connection establishment

    public final int synRetries = integer(Sysctl.TCP_SYN_RETRIES);
    public final int synLinearTimeouts = integer(Sysctl.TCP_SYN_LINEAR_TIMEOUTS);
    public final int synackRetries = integer(Sysctl.TCP_SYNACK_RETRIES);
    public final int maxSynBacklog = integer(Sysctl.TCP_MAX_SYN_BACKLOG);
    public final int synCookiesMode = integer(Sysctl.TCP_SYNCOOKIES);
    public final boolean abortOnOverflow = flag(Sysctl.TCP_ABORT_ON_OVERFLOW);

    // TCP acknowledgments

    public final long compSackDelayNanos = nanos(Sysctl.TCP_COMP_SACK_DELAY_NS);
    public final long compSackSlackNanos = nanos(Sysctl.TCP_COMP_SACK_SLACK_NS);
    public final int compSackMaxAcks = integer(Sysctl.TCP_COMP_SACK_NR);
    public final int compSackRttPercent = integer(Sysctl.TCP_COMP_SACK_RTT_PERCENT);
    public final int pingpongThresh = integer(Sysctl.TCP_PINGPONG_THRESH);
    public final boolean backlogAckDefer = flag(Sysctl.TCP_BACKLOG_ACK_DEFER);
    public final long invalidRatelimitNanos = millis(Sysctl.TCP_INVALID_RATELIMIT);
    public final int challengeAckLimitPerSecond = integer(Sysctl.TCP_CHALLENGE_ACK_LIMIT);

    // TCP loss detection and recovery

    public final int recoveryBits = integer(Sysctl.TCP_RECOVERY);
    public final int earlyRetransMode = integer(Sysctl.TCP_EARLY_RETRANS);
    public final int frtoMode = integer(Sysctl.TCP_FRTO);
    public final int reorderingSegments = integer(Sysctl.TCP_REORDERING);
    public final int maxReorderingSegments = integer(Sysctl.TCP_MAX_REORDERING);
    public final long rtoMinNanos = micros(Sysctl.TCP_RTO_MIN_US);
    public final long rtoMaxNanos = millis(Sysctl.TCP_RTO_MAX_MS);
    public final int retries1 = integer(Sysctl.TCP_RETRIES1);
    public final int retries2 = integer(Sysctl.TCP_RETRIES2);
    public final int orphanRetries = integer(Sysctl.TCP_ORPHAN_RETRIES);
    public final boolean thinLinearTimeouts = flag(Sysctl.TCP_THIN_LINEAR_TIMEOUTS);
    public final boolean retransCollapse = flag(Sysctl.TCP_RETRANS_COLLAPSE);
    public final long minRttWindowNanos = seconds(Sysctl.TCP_MIN_RTT_WLEN);

    // TCP sending

    public final String congestionControl = text(Sysctl.TCP_CONGESTION_CONTROL);
    public final boolean autocorking = flag(Sysctl.TCP_AUTOCORKING);
    public final boolean slowStartAfterIdle = flag(Sysctl.TCP_SLOW_START_AFTER_IDLE);
    public final int pacingSlowStartPercent = integer(Sysctl.TCP_PACING_SS_RATIO);
    public final int pacingAvoidancePercent = integer(Sysctl.TCP_PACING_CA_RATIO);
    public final int minTsoSegs = integer(Sysctl.TCP_MIN_TSO_SEGS);
    public final int tsoRttLog = integer(Sysctl.TCP_TSO_RTT_LOG);
    public final int tsoWinDivisor = integer(Sysctl.TCP_TSO_WIN_DIVISOR);
    public final boolean noMetricsSave = flag(Sysctl.TCP_NO_METRICS_SAVE);
    public final boolean noSsthreshMetricsSave = flag(Sysctl.TCP_NO_SSTHRESH_METRICS_SAVE);

    // TCP path MTU

    public final int mtuProbingMode = integer(Sysctl.TCP_MTU_PROBING);
    public final int baseMss = integer(Sysctl.TCP_BASE_MSS);
    public final int mtuProbeFloor = integer(Sysctl.TCP_MTU_PROBE_FLOOR);
    public final long mtuProbeIntervalNanos = seconds(Sysctl.TCP_PROBE_INTERVAL);
    public final int mtuProbeThresholdBytes = integer(Sysctl.TCP_PROBE_THRESHOLD);

    // TCP closing and keeping alive

    public final long finTimeoutNanos = seconds(Sysctl.TCP_FIN_TIMEOUT);
    public final long keepaliveTimeNanos = seconds(Sysctl.TCP_KEEPALIVE_TIME);
    public final long keepaliveIntervalNanos = seconds(Sysctl.TCP_KEEPALIVE_INTVL);
    public final int keepaliveProbes = integer(Sysctl.TCP_KEEPALIVE_PROBES);
    public final int timeWaitReuseMode = integer(Sysctl.TCP_TW_REUSE);
    public final long timeWaitReuseDelayNanos = millis(Sysctl.TCP_TW_REUSE_DELAY);
    public final boolean rfc1337 = flag(Sysctl.TCP_RFC1337);
    public final boolean stdurg = flag(Sysctl.TCP_STDURG);

    // IP

    public final int defaultTtl = integer(Sysctl.IP_DEFAULT_TTL);
    public final int noPmtuDiscMode = integer(Sysctl.IP_NO_PMTU_DISC);
    public final int localPortFirst = integer(Sysctl.IP_LOCAL_PORT_RANGE, 0);
    public final int localPortLast = integer(Sysctl.IP_LOCAL_PORT_RANGE, 1);
    public final boolean nonlocalBind = flag(Sysctl.IP_NONLOCAL_BIND);
    public final int ip4ReassemblyBytes = integer(Sysctl.IPFRAG_HIGH_THRESH);
    public final long ip4ReassemblyNanos = seconds(Sysctl.IPFRAG_TIME);
    public final int ip4ReassemblyMaxDistance = integer(Sysctl.IPFRAG_MAX_DIST);
    public final int minPmtu = integer(Sysctl.ROUTE_MIN_PMTU);
    public final long mtuExpiresNanos = seconds(Sysctl.ROUTE_MTU_EXPIRES);
    public final int minAdvMss = integer(Sysctl.ROUTE_MIN_ADV_MSS);
    public final int hopLimit = integer(Sysctl.IP6_HOP_LIMIT);
    public final int ip6ReassemblyBytes = integer(Sysctl.IP6FRAG_HIGH_THRESH);
    public final long ip6ReassemblyNanos = seconds(Sysctl.IP6FRAG_TIME);
    public final long ip6MtuExpiresNanos = seconds(Sysctl.IP6_ROUTE_MTU_EXPIRES);

    // ICMP

    public final boolean icmpEchoIgnoreAll = flag(Sysctl.ICMP_ECHO_IGNORE_ALL);
    public final boolean icmpEchoIgnoreBroadcasts = flag(Sysctl.ICMP_ECHO_IGNORE_BROADCASTS);
    public final long icmpRatelimitNanos = millis(Sysctl.ICMP_RATELIMIT);
    public final long icmpRatemask = number(Sysctl.ICMP_RATEMASK);
    public final int icmpMessagesPerSecond = integer(Sysctl.ICMP_MSGS_PER_SEC);
    public final int icmpMessagesBurst = integer(Sysctl.ICMP_MSGS_BURST);
    public final boolean icmp6EchoIgnoreAll = flag(Sysctl.ICMP6_ECHO_IGNORE_ALL);
    public final long icmp6RatelimitNanos = millis(Sysctl.ICMP6_RATELIMIT);

    // UDP

    public final long udpMemMinPages = number(Sysctl.UDP_MEM, 0);
    public final long udpMemPressurePages = number(Sysctl.UDP_MEM, 1);
    public final long udpMemMaxPages = number(Sysctl.UDP_MEM, 2);
    public final int udpRmemMin = integer(Sysctl.UDP_RMEM_MIN);
    public final int udpWmemMin = integer(Sysctl.UDP_WMEM_MIN);

    // Neighbours

    public final long neighborReachableNanos = millis(Sysctl.NEIGH_BASE_REACHABLE_TIME_MS);
    public final long neighborDelayFirstProbeNanos = seconds(Sysctl.NEIGH_DELAY_FIRST_PROBE_TIME);
    public final long neighborRetransNanos = millis(Sysctl.NEIGH_RETRANS_TIME_MS);
    public final int neighborMulticastSolicits = integer(Sysctl.NEIGH_MCAST_SOLICIT);
    public final int neighborUnicastSolicits = integer(Sysctl.NEIGH_UCAST_SOLICIT);
    public final long neighborStaleNanos = seconds(Sysctl.NEIGH_GC_STALE_TIME);
    public final int maxNeighbors = integer(Sysctl.NEIGH_GC_THRESH3);
    public final int neighborQueueBytes = integer(Sysctl.NEIGH_UNRES_QLEN_BYTES);

    // This stack

    public final int initialCwnd = integer(Sysctl.STACK_TCP_INITIAL_CWND);
    public final long initialRtoNanos = millis(Sysctl.STACK_TCP_INITIAL_RTO_MS);
    public final long delackMinNanos = millis(Sysctl.STACK_TCP_DELACK_MIN_MS);
    public final long delackMaxNanos = millis(Sysctl.STACK_TCP_DELACK_MAX_MS);
    public final long timeWaitNanos = millis(Sysctl.STACK_TCP_TIME_WAIT_MS);
    public final long timestampTickNanos = micros(Sysctl.STACK_TCP_TIMESTAMP_TICK_US);
    public final String tcpHystart = text(Sysctl.STACK_TCP_HYSTART);
    public final String tcpSynOptions = text(Sysctl.STACK_TCP_SYN_OPTIONS);
    public final String tcpCustoms = text(Sysctl.STACK_TCP_CUSTOMS);
    public final boolean dropSynFin = flag(Sysctl.STACK_TCP_DROP_SYN_FIN);
    public final boolean insecureRst = flag(Sysctl.STACK_TCP_INSECURE_RST);
    public final boolean insecureSyn = flag(Sysctl.STACK_TCP_INSECURE_SYN);
    public final int quickAcks = integer(Sysctl.STACK_TCP_QUICK_ACKS);
    public final int maxHoles = integer(Sysctl.STACK_TCP_MAX_HOLES);
    public final int maxRows = integer(Sysctl.STACK_TCP_MAX_ROWS);
    public final int gsoMaxBytes = integer(Sysctl.STACK_GSO_MAX_BYTES);
    public final boolean gro = flag(Sysctl.STACK_GRO);
    public final String truesize = text(Sysctl.STACK_TRUESIZE);
    public final int blockBytes = integer(Sysctl.STACK_BLOCK_BYTES);
    public final long blockPoolBytes = number(Sysctl.STACK_BLOCK_POOL_BYTES);
    public final long packetPoolBytes = number(Sysctl.STACK_PACKET_POOL_BYTES);

    /** The field initializers run after this, and find the values in place. */
    private StackConfig(long[][] values) {
        this.values = values;
        super();
    }

    /** The configuration in which nothing was set. */
    public static StackConfig defaults() {
        return builder().build();
    }

    /** A builder that starts from the defaults. */
    public static Builder builder() {
        long[][] values = new long[Sysctl.values().length][];
        for (Sysctl key : Sysctl.values()) {
            values[key.ordinal()] = key.parse(key.defaultText());
        }
        return new Builder(values);
    }

    /** A builder that starts from this configuration. */
    public Builder toBuilder() {
        return new Builder(values.clone());
    }

    /** The value of {@code key} as it prints. */
    public String value(Sysctl key) {
        return key.print(values[key.ordinal()]);
    }

    /**
     * The value of the key called {@code name} as it prints.
     *
     * @throws SysctlException if there is no such key
     */
    public String value(String name) {
        return value(Sysctls.find(name));
    }

    private boolean flag(Sysctl key) {
        return number(key) != 0;
    }

    private int integer(Sysctl key) {
        return integer(key, 0);
    }

    private int integer(Sysctl key, int place) {
        return Math.toIntExact(number(key, place));
    }

    private long number(Sysctl key) {
        return number(key, 0);
    }

    private long number(Sysctl key, int place) {
        return values[key.ordinal()][place];
    }

    private int count(Sysctl key) {
        return values[key.ordinal()].length;
    }

    private long seconds(Sysctl key) {
        return number(key) * 1_000_000_000L;
    }

    private long millis(Sysctl key) {
        return number(key) * 1_000_000L;
    }

    private long micros(Sysctl key) {
        return number(key) * 1_000L;
    }

    private long nanos(Sysctl key) {
        return number(key);
    }

    private String text(Sysctl key) {
        return value(key);
    }

    /** Collects assignments; the last one to a key counts. */
    public static final class Builder {
        private final long[][] values;

        private Builder(long[][] values) {
            this.values = values;
        }

        /**
         * Gives the key called {@code name} a value; see {@link Sysctls#find} for how it may be
         * called.
         *
         * @throws SysctlException if there is no such key or it cannot have that value
         */
        public Builder set(String name, String value) {
            return set(Sysctls.find(name), value);
        }

        /**
         * Gives {@code key} a value.
         *
         * @throws SysctlException if it cannot have that value
         */
        public Builder set(Sysctl key, String value) {
            values[key.ordinal()] = key.parse(value);
            return this;
        }

        /**
         * Gives {@code key} a number.
         *
         * @throws SysctlException if it cannot have that value
         */
        public Builder set(Sysctl key, long value) {
            return set(key, Long.toString(value));
        }

        /**
         * Takes assignments in the form of sysctl.conf: one {@code key = value} a line; empty lines
         * and lines that begin with {@code #} or {@code ;} are skipped.
         *
         * @throws SysctlException if a line is no assignment or an assignment is wrong; the message
         *     begins with the number of the line
         */
        public Builder load(String text) {
            int number = 0;
            for (String line : text.lines().toList()) {
                number++;
                String trimmed = line.strip();
                if (trimmed.isEmpty() || trimmed.startsWith("#") || trimmed.startsWith(";")) {
                    continue;
                }
                int equals = trimmed.indexOf('=');
                if (equals < 0) {
                    throw new SysctlException(
                            "line %d: \"%s\" is not key = value".formatted(number, trimmed));
                }
                try {
                    set(trimmed.substring(0, equals), trimmed.substring(equals + 1));
                } catch (SysctlException wrong) {
                    throw new SysctlException("line %d: %s".formatted(number, wrong.getMessage()));
                }
            }
            return this;
        }

        /** The configuration; the builder may go on to make others. */
        public StackConfig build() {
            return new StackConfig(values.clone());
        }
    }
}
