/**
 * The live face of the core: devices of this machine, an event loop in real time, and a few
 * services. Calls the operating system through the foreign function interface, so it is started
 * with native access enabled.
 */
module dev.sluice.runtime {
    requires transitive dev.sluice.core;
    requires transitive java.management;
    requires transitive jdk.net;

    uses dev.sluice.runtime.nio.HostSource;

    provides dev.sluice.runtime.nio.HostSource with
            dev.sluice.runtime.ConfiguredHosts;

    exports dev.sluice.runtime;
    exports dev.sluice.runtime.device;
    exports dev.sluice.runtime.loop;
    exports dev.sluice.runtime.monitor;
    exports dev.sluice.runtime.nio;
    exports dev.sluice.runtime.service;
}
