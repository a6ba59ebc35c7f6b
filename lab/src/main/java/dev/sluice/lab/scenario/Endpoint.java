package dev.sluice.lab.scenario;

import java.util.Locale;

/** The two hosts of a scenario. */
public enum Endpoint {
    CLIENT,
    SERVER;

    /** What the host is called in the simulation, in reports and in the names of files. */
    public String hostName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
