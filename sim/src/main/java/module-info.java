/** A deterministic network in virtual time: hosts, links, faults and checkers around the core. */
module dev.sluice.sim {
    requires transitive dev.sluice.core;

    exports dev.sluice.sim.app;
    exports dev.sluice.sim.check;
    exports dev.sluice.sim.engine;
    exports dev.sluice.sim.fault;
    exports dev.sluice.sim.net;
}
