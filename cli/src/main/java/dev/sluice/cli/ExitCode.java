package dev.sluice.cli;

/** The exit statuses of the command, as {@code sluice --help} documents them. */
final class ExitCode {
    static final int OK = 0;
    static final int MISSED = 1;
    static final int USAGE = 2;

    /** {@code EX_SOFTWARE} of sysexits.h. */
    static final int INTERNAL = 70;

    private ExitCode() {}
}
