package dev.sluice.cli;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;

/** The most memory this process has used. */
final class ProcessMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path CLEAR = Path.of("/proc/self/clear_refs");
    private static final String PEAK = "VmHWM:";
    private static final long BYTES_PER_KIB = 1024;

    private ProcessMemory() {}

    /** Forgets the peaks so far, as far as the system allows. */
    static void resetPeaks() {
        System.gc();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            pool.resetPeakUsage();
        }
        try {
            Files.writeString(CLEAR, "5"); // proc(5): resets the peak resident set
        } catch (IOException e) {
            return; // not Linux, or not allowed: the peak since the start is told then
        }
    }

    /** Most heap in use: the sum over its generations, garbage included. */
    static long peakHeapBytes() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
    }

    /** Most memory resident, bytes; 0 where the system does not tell. */
    static long peakResidentBytes() {
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith(PEAK))
                    .mapToLong(line -> kibibytes(line) * BYTES_PER_KIB)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    private static long kibibytes(String line) {
        return Long.parseLong(line.substring(PEAK.length()).replace("kB", "").strip());
    }
}
