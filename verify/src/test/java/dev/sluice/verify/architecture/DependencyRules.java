package dev.sluice.verify.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Who may know whom: rules 1, 2, 5, 7, 8 and 9. */
final class DependencyRules {
    /**
     * The spine, the listener, and those that keep account of connections or take a picture of one:
     * the only ones in {@code tcp} that see the whole connection.
     */
    private static final List<String> SPINE =
            List.of(
                    "tcp.TcpConnection",
                    // Input, with its longest steps in files of their own.
                    "tcp.SegmentArrives",
                    "tcp.Acceptability",
                    "tcp.AckArrives",
                    "tcp.DataArrives",
                    // What loss does to a connection, and which timers run while data is in flight.
                    "tcp.LossResponse",
                    "tcp.FlightTimers",
                    // What memory pressure does to it, and the one predicate behind poll and write.
                    "tcp.ReceiveMemory",
                    "tcp.WriteSpace",
                    // Output: what to send, and how it is laid out.
                    "tcp.Transmitter",
                    "tcp.SegmentEmitter",
                    "tcp.SegmentBuilder",
                    // Larger packets, found by trying.
                    "tcp.MtuSearch",
                    "tcp.TimerExpiry",
                    "tcp.Handshake",
                    "tcp.FastOpenHandshake",
                    "tcp.FastOpenClient",
                    "tcp.CookieHandshake",
                    // What applications do.
                    "tcp.UserCalls",
                    "tcp.TcpListener",
                    "tcp.TcpContext",
                    "tcp.Endpoint",
                    "tcp.TimeWaitTable",
                    "tcp.TcpInfo");

    private static final List<String> JDK_OF_CORE =
            List.of(
                    "java.lang",
                    "java.lang.annotation",
                    "java.lang.foreign",
                    "java.lang.invoke",
                    "java.lang.runtime",
                    "java.nio",
                    "java.nio.charset",
                    "java.util",
                    "java.util.function",
                    "java.util.stream");

    private final Layout layout;

    private DependencyRules(Layout layout) {
        this.layout = layout;
    }

    static List<Rule> of(Layout layout) {
        DependencyRules rules = new DependencyRules(layout);
        return List.of(
                rules.everythingIsDrawn(),
                rules.corePackages(),
                rules.modules(),
                rules.noCycles(),
                rules.coreUsesLittleOfTheJdk(),
                rules.nativeLinker(),
                rules.nativeCallers(),
                rules.spine(),
                rules.partsAreHidden(),
                rules.congestionIsApart());
    }

    private Rule everythingIsDrawn() {
        return Rule.each(
                1,
                "every package is drawn",
                layout.ours(),
                "lie in a package of the drawing",
                "a package that is not drawn escapes every other rule",
                (c, report) -> {
                    boolean drawn =
                            Layout.CORE.keySet().stream().anyMatch(p -> layout.contains(p, c))
                                    || Layout.MODULES.keySet().stream()
                                            .anyMatch(m -> layout.contains(m, c));
                    if (!drawn) {
                        report.accept("its package is not in the drawing");
                    }
                });
    }

    private Rule corePackages() {
        return Rule.each(
                1,
                "packages of the core depend as drawn",
                layout.inCore(),
                "depend on packages of the core only as drawn",
                "socket, stack, tcp, wire is the order in which the core is read and tested",
                (c, report) -> {
                    String from = packageOf(c);
                    Set<String> allowed = new HashSet<>(Layout.CORE.get(from));
                    allowed.add(from);
                    eachDependency(
                            c,
                            d -> {
                                JavaClass target = d.getTargetClass();
                                if (layout.ours().test(target)
                                        && (!layout.inCore().test(target)
                                                || !allowed.contains(packageOf(target)))) {
                                    report.accept(d.getDescription());
                                }
                            });
                });
    }

    private Rule modules() {
        return Rule.each(
                1,
                "modules depend as drawn",
                layout.in(List.copyOf(Layout.MODULES.keySet())),
                "depend on modules only as drawn",
                "live code and laboratory meet in cli and nowhere else",
                (c, report) -> {
                    String from = moduleOf(c);
                    Set<String> allowed = new HashSet<>(Layout.MODULES.get(from));
                    allowed.add(from);
                    eachDependency(
                            c,
                            d -> {
                                JavaClass target = d.getTargetClass();
                                if (layout.ours().test(target)
                                        && !layout.inCore().test(target)
                                        && !allowed.contains(moduleOf(target))) {
                                    report.accept(d.getDescription());
                                }
                            });
                });
    }

    private Rule noCycles() {
        return new Rule(
                1,
                "no cycles between packages",
                layout.ours(),
                slices().matching(layout.root() + ".(**)")
                        .should()
                        .beFreeOfCycles()
                        .allowEmptyShould(true)
                        .because("a cycle is one package with two names"));
    }

    private Rule coreUsesLittleOfTheJdk() {
        return Rule.each(
                2,
                "core is pure",
                layout.inCore(),
                "depend on the language, memory and plain utilities only",
                "the core does no input or output, has no threads and reads no clock",
                (c, report) ->
                        eachDependency(
                                c,
                                d -> {
                                    JavaClass target = d.getTargetClass();
                                    if (!target.isPrimitive()
                                            && !layout.ours().test(target)
                                            && !JDK_OF_CORE.contains(target.getPackageName())) {
                                        report.accept(d.getDescription());
                                    }
                                }));
    }

    private Rule nativeLinker() {
        return new Rule(
                5,
                "native linking has one door",
                layout.ours(),
                noClasses()
                        .that(not(layout.in("runtime.ffi")))
                        .should()
                        .dependOnClassesThat()
                        .haveNameMatching("java\\.lang\\.foreign\\.(Linker|SymbolLookup)(\\$.*)?")
                        .allowEmptyShould(true)
                        .because("each native facility is one small class in runtime.ffi"));
    }

    private Rule nativeCallers() {
        return new Rule(
                5,
                "ffi is seen by device and loop only",
                layout.ours(),
                noClasses()
                        .that(not(layout.in("runtime.ffi", "runtime.device", "runtime.loop")))
                        .should()
                        .dependOnClassesThat(layout.in("runtime.ffi"))
                        .allowEmptyShould(true)
                        .because("nothing above a device knows errno"));
    }

    private Rule spine() {
        return new Rule(
                7,
                "parts do not know the connection",
                layout.in("tcp"),
                noClasses()
                        .that(layout.in("tcp").and(not(layout.named(SPINE))))
                        .should()
                        .dependOnClassesThat(layout.named("tcp.TcpConnection"))
                        .allowEmptyShould(true)
                        .because("control flow stays in the spine; a part answers questions"));
    }

    private Rule partsAreHidden() {
        DescribedPredicate<JavaClass> parts =
                layout.in("tcp")
                        .and(
                                DescribedPredicate.describe(
                                        "that are top-level classes",
                                        c -> c.isTopLevelClass() && !c.isInterface()));
        return Rule.each(
                8,
                "parts are package-private and final",
                parts,
                "be final and, unless named in the design, package-private",
                "a part can change as long as only the spine sees it",
                (c, report) -> {
                    if (!c.getModifiers().contains(JavaModifier.FINAL) && !c.isEnum()) {
                        report.accept("is not final");
                    }
                    if (c.getModifiers().contains(JavaModifier.PUBLIC)
                            && !layout.named(PUBLIC_IN_TCP).test(c)) {
                        report.accept("is public");
                    }
                });
    }

    /** The types of {@code tcp} that other packages may see. */
    private static final List<String> PUBLIC_IN_TCP =
            List.of(
                    "tcp.TcpConnection",
                    "tcp.TcpListener",
                    "tcp.TcpState",
                    "tcp.TcpInfo",
                    "tcp.TcpSettings",
                    "tcp.TcpTimer",
                    "tcp.DisconnectReason",
                    // What the stack hands in, and what it keeps in its table of connections.
                    "tcp.TcpContext",
                    "tcp.Route",
                    "tcp.HalfOpen",
                    "tcp.TimeWaitTable",
                    "tcp.Replies",
                    "tcp.DeviceQueue",
                    // What the socket is told.
                    "tcp.UrgentData",
                    "tcp.Readiness");

    private Rule congestionIsApart() {
        return new Rule(
                9,
                "congestion control is apart",
                layout.in("tcp.congestion"),
                noClasses()
                        .that(layout.in("tcp.congestion"))
                        .should()
                        .dependOnClassesThat(layout.in("tcp", "tcp.policy"))
                        .allowEmptyShould(true)
                        .because("a controller sees one view and one sample, never a segment"));
    }

    private String packageOf(JavaClass c) {
        return c.getPackageName().substring(layout.root().length() + 1);
    }

    private String moduleOf(JavaClass c) {
        String name = packageOf(c);
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    private static void eachDependency(JavaClass c, Consumer<Dependency> action) {
        for (Dependency d : c.getDirectDependenciesFromSelf()) {
            if (!d.getTargetClass().isArray()) {
                action.accept(d);
            }
        }
    }
}
