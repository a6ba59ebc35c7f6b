package dev.sluice.cli;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;

import dev.sluice.runtime.monitor.LiveStackMXBean;
import dev.sluice.runtime.monitor.StackMonitor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The live stacks of running JVMs, found by the name of the thread that each has and asked through
 * JMX, to which the attach mechanism of the JVM leads. Both need the user that runs them.
 */
final class JvmStacks implements AutoCloseable {
    private static final Path PROCESSES = Path.of("/proc");
    private static final String THREAD_PREFIX = "sluice-";

    /** A stack that can be asked. */
    record Found(long pid, LiveStackMXBean stack) {}

    private final List<JMXConnector> connectors = new ArrayList<>();
    private final List<Found> found = new ArrayList<>();

    /** What was to be asked and could not be, a sentence each. */
    private final List<String> failures = new ArrayList<>();

    private JvmStacks() {}

    /**
     * Connects to the JVMs of these processes.
     *
     * @param pids empty for all that have a stack
     */
    static JvmStacks find(List<Long> pids) {
        JvmStacks stacks = new JvmStacks();
        for (long pid : pids.isEmpty() ? processes() : pids) {
            stacks.connect(pid);
        }
        if (pids.isEmpty() && stacks.found.isEmpty() && stacks.failures.isEmpty()) {
            stacks.failures.add("no running JVM has a live stack");
        }
        return stacks;
    }

    List<Found> all() {
        return found;
    }

    List<String> failures() {
        return failures;
    }

    /** Processes other than this one with a thread that drives a stack. */
    private static List<Long> processes() {
        long own = ProcessHandle.current().pid();
        List<Long> pids = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (Path process : all) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (pid != own && hasStack(process)) {
                    pids.add(pid);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        pids.sort(null);
        return pids;
    }

    private static boolean hasStack(Path process) {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).startsWith(THREAD_PREFIX)) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false; // it has ended meanwhile, or is none of our business
        }
    }

    private void connect(long pid) {
        if (ProcessHandle.of(pid).isEmpty()) {
            failures.add("there is no process " + pid);
            return;
        }
        int before = found.size();
        try {
            JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(agent(pid)));
            connectors.add(connector);
            MBeanServerConnection server = connector.getMBeanServerConnection();
            for (ObjectName name : server.queryNames(StackMonitor.pattern(), null)) {
                found.add(new Found(pid, JMX.newMXBeanProxy(server, name, LiveStackMXBean.class)));
            }
        } catch (AttachNotSupportedException e) {
            failures.add("process " + pid + " is no JVM of this user that can be asked");
            return;
        } catch (IOException e) {
            failures.add(
                    "process %d cannot be asked (is it in another network namespace?): %s"
                            .formatted(pid, e.getMessage()));
            return;
        }
        if (found.size() == before) {
            failures.add("process " + pid + " has published no live stack");
        }
    }

    private static String agent(long pid) throws IOException, AttachNotSupportedException {
        VirtualMachine jvm = VirtualMachine.attach(Long.toString(pid));
        try {
            return jvm.startLocalManagementAgent();
        } finally {
            jvm.detach();
        }
    }

    @Override
    public void close() {
        for (JMXConnector connector : connectors) {
            try {
                connector.close();
            } catch (IOException e) {
                failures.add("a connection could not be closed: " + e.getMessage());
            }
        }
    }
}
