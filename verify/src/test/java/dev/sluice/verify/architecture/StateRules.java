package dev.sluice.verify.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Where state may live and how it may be shared: rules 6, 10 and 14. */
final class StateRules {
    /** The table of shared things in section 8 of the design, and nothing else. */
    private static final List<String> SHARED =
            List.of(
                    "memory.ByteStream",
                    "memory.PacketStream",
                    "memory.BlockPool",
                    "memory.PacketPool",
                    "runtime.ffi.EventFd",
                    "runtime.loop.Baton",
                    "runtime.loop.Command",
                    "runtime.loop.Gate",
                    "runtime.loop.GuestBook",
                    "runtime.monitor.StackMonitor",
                    "runtime.nio.KeyList",
                    "runtime.nio.PipeBuffer",
                    "runtime.nio.PipeSink",
                    "runtime.nio.PipeSource",
                    "runtime.nio.Patience",
                    "runtime.nio.StackDatagramChannel",
                    "runtime.nio.StackDatagramSocket",
                    "runtime.nio.StackSelectionKey",
                    "runtime.nio.StackSelector",
                    "runtime.nio.StackSelectorProvider",
                    "runtime.nio.StackServerSocket",
                    "runtime.nio.StackServerSocketChannel",
                    "runtime.nio.StackSocket",
                    "runtime.nio.StackSocketChannel",
                    "runtime.nio.StackStreamSocket",
                    "runtime.device.CableRing",
                    "runtime.ffi.XdpRing",
                    "socket.PublishedStatus",
                    "trace.Counters");

    private static final List<String> SEGMENT_PATH = List.of("tcp.Scoreboard", "tcp.ReceiveQueue");

    private static final Set<String> BOXES =
            Set.of(
                    "java.lang.Integer",
                    "java.lang.Long",
                    "java.lang.Short",
                    "java.lang.Byte",
                    "java.lang.Character",
                    "java.lang.Boolean");

    private static final Set<String> HASHED =
            Set.of(
                    "java.util.HashMap",
                    "java.util.HashSet",
                    "java.util.IdentityHashMap",
                    "java.util.WeakHashMap",
                    "java.util.concurrent.ConcurrentHashMap");

    private static final Set<String> HASHED_FACTORIES =
            Set.of(
                    "java.util.Map.of",
                    "java.util.Map.ofEntries",
                    "java.util.Map.copyOf",
                    "java.util.Set.of",
                    "java.util.Set.copyOf",
                    "java.util.stream.Collectors.toMap",
                    "java.util.stream.Collectors.toSet",
                    "java.util.stream.Collectors.groupingBy");

    private static final Set<String> ITERATION =
            Set.of("entrySet", "keySet", "values", "iterator", "forEach", "stream");

    private final Layout layout;

    private StateRules(Layout layout) {
        this.layout = layout;
    }

    static List<Rule> of(Layout layout) {
        StateRules rules = new StateRules(layout);
        return List.of(
                rules.sharedInNamedClasses(),
                rules.segmentPathIsPrimitive(),
                rules.noHashOrder(),
                rules.noStaticState());
    }

    private Rule sharedInNamedClasses() {
        return Rule.each(
                6,
                "sharing happens in named classes",
                layout.ours().and(not(layout.named(SHARED))),
                "use no VarHandle, volatile, monitor, lock or atomic",
                "what crosses threads is listed, with its ordering and a stress test",
                (c, report) -> {
                    for (JavaField field : c.getFields()) {
                        if (field.getModifiers().contains(JavaModifier.VOLATILE)) {
                            report.accept("volatile field " + field.getName());
                        }
                    }
                    for (JavaMethod method : c.getMethods()) {
                        if (method.getModifiers().contains(JavaModifier.SYNCHRONIZED)) {
                            report.accept("synchronized method " + method.getName());
                        }
                    }
                    Bytecode.monitors(c).forEach(m -> report.accept("monitor in " + m));
                    c.getDirectDependenciesFromSelf().stream()
                            .filter(d -> isForSharing(d.getTargetClass()))
                            .forEach(d -> report.accept(d.getDescription()));
                });
    }

    private static boolean isForSharing(JavaClass type) {
        String name = type.getName();
        return name.equals("java.lang.invoke.VarHandle")
                || name.startsWith("java.util.concurrent.locks.")
                || name.startsWith("java.util.concurrent.atomic.");
    }

    private Rule segmentPathIsPrimitive() {
        return Rule.each(
                10,
                "the segment path is primitive",
                layout.named(SEGMENT_PATH),
                "reach no boxed types and no collections",
                "a row per segment lives in arrays, or every segment costs an allocation",
                (c, report) -> {
                    for (JavaClass reached : reachedFrom(c)) {
                        for (Dependency d : reached.getDirectDependenciesFromSelf()) {
                            if (isBoxOrCollection(d.getTargetClass())) {
                                report.accept(d.getDescription());
                            }
                        }
                    }
                });
    }

    /** The class and those of ours that it refers to, directly or not. */
    private Set<JavaClass> reachedFrom(JavaClass start) {
        Set<JavaClass> reached = new LinkedHashSet<>();
        Deque<JavaClass> open = new ArrayDeque<>(List.of(start));
        while (!open.isEmpty()) {
            JavaClass next = open.pop();
            if (reached.add(next)) {
                next.getDirectDependenciesFromSelf().stream()
                        .map(d -> d.getTargetClass().getBaseComponentType())
                        .filter(layout.ours())
                        .filter(t -> !t.isEnum() && !t.getSimpleName().equals("PacketPool"))
                        .forEach(open::push);
            }
        }
        return reached;
    }

    private static boolean isBoxOrCollection(JavaClass type) {
        return BOXES.contains(type.getBaseComponentType().getName())
                || type.isAssignableTo(Iterable.class)
                || type.isAssignableTo(java.util.Map.class);
    }

    private Rule noHashOrder() {
        return Rule.each(
                10,
                "no order from a hash table",
                layout.inCore().or(layout.in("sim")),
                "not iterate hash-based collections",
                "their order depends on hash codes, and a run must not",
                (c, report) -> {
                    boolean makesHashed =
                            c.getConstructorCallsFromSelf().stream()
                                            .anyMatch(
                                                    k ->
                                                            HASHED.contains(
                                                                    k.getTargetOwner().getName()))
                                    || c.getMethodCallsFromSelf().stream()
                                            .anyMatch(k -> HASHED_FACTORIES.contains(nameOf(k)));
                    for (JavaMethodCall call : c.getMethodCallsFromSelf()) {
                        String owner = call.getTargetOwner().getName();
                        boolean perhapsHashed =
                                owner.equals("java.util.Map") || owner.equals("java.util.Set");
                        if (ITERATION.contains(call.getName())
                                && (HASHED.contains(owner) || makesHashed && perhapsHashed)) {
                            report.accept(call.getDescription());
                        }
                    }
                });
    }

    private static String nameOf(JavaMethodCall call) {
        return call.getTargetOwner().getName() + "." + call.getName();
    }

    private Rule noStaticState() {
        return Rule.each(
                14,
                "no static mutable state",
                layout.ours(),
                "have static fields that never change",
                "two stacks in one process share nothing, and no test depends on the one before",
                (c, report) -> {
                    for (JavaField field : c.getFields()) {
                        Set<JavaModifier> modifiers = field.getModifiers();
                        if (!modifiers.contains(JavaModifier.STATIC)
                                || modifiers.contains(JavaModifier.SYNTHETIC)) {
                            continue;
                        }
                        if (!modifiers.contains(JavaModifier.FINAL)) {
                            report.accept("static field " + field.getName() + " is not final");
                        } else if (field.getRawType().isArray()
                                && !modifiers.contains(JavaModifier.PRIVATE)) {
                            report.accept("array " + field.getName() + " is not private");
                        } else if (isMutable(field.getRawType())) {
                            report.accept("static field " + field.getName() + " is mutable");
                        }
                    }
                });
    }

    private static boolean isMutable(JavaClass type) {
        String name = type.getName();
        return name.startsWith("java.util.concurrent.atomic.")
                || type.isAssignableTo(java.util.AbstractCollection.class)
                || type.isAssignableTo(java.util.AbstractMap.class)
                || type.isAssignableTo(StringBuilder.class)
                || type.isAssignableTo(ThreadLocal.class);
    }
}
