/** A deterministic network in virtual time: hosts, links, faults and checkers around the core. */
module dev.sluice.sim {
    requires transitive dev.sluice.core;
}
