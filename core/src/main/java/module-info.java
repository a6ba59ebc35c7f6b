/**
 * The sans-IO TCP/IP core: codecs, connections, the stack and socket semantics. Depends on
 * java.base alone.
 */
module dev.sluice.core {
    exports dev.sluice.config;
    exports dev.sluice.memory;
    exports dev.sluice.seed;
    exports dev.sluice.socket;
    exports dev.sluice.stack;
    exports dev.sluice.tcp;
    exports dev.sluice.tcp.congestion;
    exports dev.sluice.tcp.policy;
    exports dev.sluice.trace;
    exports dev.sluice.wire;
}
