/** Scenarios and load, run in the simulator and explained by the doctor. */
@SuppressWarnings("requires-automatic") // HdrHistogram is published without a module name
module dev.sluice.lab {
    requires transitive dev.sluice.core;
    requires transitive dev.sluice.doctor;
    requires transitive dev.sluice.sim;
    requires HdrHistogram;

    exports dev.sluice.lab.load;
    exports dev.sluice.lab.packetdrill;
    exports dev.sluice.lab.scenario;
}
