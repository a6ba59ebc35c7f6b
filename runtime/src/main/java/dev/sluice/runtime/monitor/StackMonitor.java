package dev.sluice.runtime.monitor;

import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.runtime.loop.StackClosedException;
import dev.sluice.stack.NetworkStack;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.function.ToLongFunction;

import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** One live stack for {@link LiveStackMXBean}; the stack is asked through its loop. */
public final class StackMonitor implements LiveStackMXBean {
    private static final String DOMAIN = "dev.sluice";

    private final EventLoop loop;
    private final NetworkStack stack;
    private final String device;

    /** Guarded by this; null while it is not published. */
    private ObjectName objectName;

    /**
     * @param device what it is on
     */
    public StackMonitor(EventLoop loop, NetworkStack stack, String device) {
        this.loop = loop;
        this.stack = stack;
        this.device = device;
    }

    /** All stacks that are published, whatever their names. */
    public static ObjectName pattern() {
        return objectName("*");
    }

    private static ObjectName objectName(String name) {
        try {
            boolean plain = name.equals("*") || name.matches("[\\w.#-]+");
            String value = plain ? name : ObjectName.quote(name);
            return new ObjectName(DOMAIN + ":type=LiveStack,name=" + value);
        } catch (JMException e) {
            throw new IllegalArgumentException(e); // a quoted name is always one
        }
    }

    /**
     * Makes it visible to whoever may attach to this JVM; a name that is taken gets a number.
     *
     * @throws IllegalStateException if it is published already
     */
    public synchronized void publish(String name) {
        if (objectName != null) {
            throw new IllegalStateException("it is published as " + objectName);
        }
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (int number = 1; objectName == null; number++) {
            ObjectName wanted = objectName(number == 1 ? name : name + "#" + number);
            try {
                objectName = wanted;
                server.registerMBean(this, wanted);
            } catch (InstanceAlreadyExistsException e) {
                objectName = null;
            } catch (JMException e) {
                throw new IllegalStateException(e); // the bean is one
            }
        }
    }

    /** Takes it out of sight, if it was published. */
    public synchronized void withdraw() {
        if (objectName == null) {
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(objectName);
        } catch (InstanceNotFoundException e) {
            // Somebody else has removed it.
        } catch (JMException e) {
            throw new IllegalStateException(e); // it does not refuse
        }
        objectName = null;
    }

    @Override
    public synchronized String getName() {
        String name = objectName == null ? "" : objectName.getKeyProperty("name");
        return name.startsWith("\"") ? ObjectName.unquote(name) : name;
    }

    @Override
    public String getDevice() {
        return device;
    }

    private long ask(ToLongFunction<NetworkStack> question) {
        try {
            return loop.call(now -> question.applyAsLong(stack));
        } catch (StackClosedException e) {
            return 0;
        }
    }

    @Override
    public int getConnections() {
        return (int) ask(NetworkStack::endpoints);
    }

    @Override
    public Map<String, Long> getCounters() {
        return CounterListing.named(stack.counters().snapshot());
    }

    @Override
    public String getNstat() {
        return CounterListing.of(getCounters(), 0, false);
    }

    @Override
    public String sockets(String options) {
        String[] text = {""};
        try {
            loop.call(
                    now -> {
                        text[0] = SocketListing.of(now, stack, options);
                        return 0;
                    });
        } catch (StackClosedException e) {
            return "";
        }
        return text[0];
    }
}
