package dev.sluice.verify.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;

import java.util.List;
import java.util.Set;

/**
 * What makes a run repeat: where time, randomness and output come from, and which arithmetic is
 * used. Rules 3, 4, 11, 15 and 16.
 */
final class PurityRules {
    private static final Set<String> CLOCK_CALLS =
            Set.of(
                    "java.lang.System.nanoTime",
                    "java.lang.System.currentTimeMillis",
                    "java.time.Instant.now",
                    "java.time.LocalDateTime.now",
                    "java.time.ZonedDateTime.now",
                    "java.time.Clock.systemUTC",
                    "java.lang.Thread.sleep");

    private static final Set<String> PROPERTY_CALLS =
            Set.of(
                    "java.lang.System.getProperty",
                    "java.lang.System.getProperties",
                    "java.lang.System.getenv",
                    "java.lang.Integer.getInteger",
                    "java.lang.Long.getLong",
                    "java.lang.Boolean.getBoolean");

    private static final Set<String> RANDOM_TYPES =
            Set.of(
                    "java.util.Random",
                    "java.util.SplittableRandom",
                    "java.util.concurrent.ThreadLocalRandom");

    /** Functions of Math whose last bit may differ between platforms; StrictMath's may not. */
    private static final Set<String> LOOSE_MATH =
            Set.of(
                    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "expm1", "log",
                    "log10", "log1p", "cbrt", "pow", "sinh", "cosh", "tanh", "hypot");

    private static final Set<String> PRINTING =
            Set.of(
                    "java.lang.System.out",
                    "java.lang.System.err",
                    "java.lang.System.exit",
                    "java.lang.Runtime.exit",
                    "java.lang.Runtime.halt",
                    "java.lang.Throwable.printStackTrace");

    private static final Set<String> THREAD_TYPES =
            Set.of(
                    "java.util.concurrent.Executors",
                    "java.util.concurrent.ForkJoinPool",
                    "java.util.concurrent.CompletableFuture",
                    "java.util.concurrent.ThreadPoolExecutor",
                    "java.util.Timer");

    private static final Set<String> THREAD_CALLS =
            Set.of(
                    "java.lang.Thread.start",
                    "java.lang.Thread.ofVirtual",
                    "java.lang.Thread.ofPlatform",
                    "java.lang.Thread.startVirtualThread",
                    "java.util.Collection.parallelStream",
                    "java.util.stream.BaseStream.parallel",
                    "java.util.stream.Stream.parallel",
                    "java.util.stream.IntStream.parallel",
                    "java.util.stream.LongStream.parallel");

    private final Layout layout;

    private PurityRules(Layout layout) {
        this.layout = layout;
    }

    static List<Rule> of(Layout layout) {
        PurityRules rules = new PurityRules(layout);
        return List.of(
                rules.clocks(),
                rules.properties(),
                rules.randomness(),
                rules.secureRandomness(),
                rules.integersOnly(),
                rules.strictMath(),
                rules.quiet(),
                rules.threads(),
                rules.codecsDoNotThrow());
    }

    private Rule clocks() {
        // The stopwatch of the command measures how long a finished run took; nothing decides by
        // it.
        return accesses(
                3,
                "time is an argument",
                layout.ours().and(not(layout.named("runtime.loop.Clock", "cli.Stopwatch"))),
                CLOCK_CALLS,
                "now comes from the driver, so that virtual time is as good as real time");
    }

    private Rule properties() {
        return accesses(
                3,
                "core has one configuration",
                layout.inCore(),
                PROPERTY_CALLS,
                "a stack is configured by its StackConfig alone");
    }

    private Rule randomness() {
        return Rule.each(
                4,
                "randomness comes from the seed",
                layout.ours().and(not(layout.in("seed"))),
                "draw no random numbers of their own",
                "the same seed must give the same run on every JDK",
                (c, report) -> {
                    c.getDirectDependenciesFromSelf().stream()
                            .filter(
                                    d ->
                                            RANDOM_TYPES.contains(d.getTargetClass().getName())
                                                    || d.getTargetClass()
                                                            .getPackageName()
                                                            .equals("java.util.random"))
                            .forEach(d -> report.accept(d.getDescription()));
                    accessesTo(
                            c,
                            Set.of("java.lang.Math.random", "java.util.UUID.randomUUID"),
                            a -> report.accept(a.getDescription()));
                });
    }

    private Rule secureRandomness() {
        return new Rule(
                4,
                "secrets are handed in",
                layout.ours(),
                noClasses()
                        .that(not(layout.in("runtime")))
                        .should()
                        .dependOnClassesThat()
                        .haveFullyQualifiedName("java.security.SecureRandom")
                        .allowEmptyShould(true)
                        .because(
                                "keys come from the driver: live from the system, else from the"
                                        + " seed"));
    }

    private Rule integersOnly() {
        return Rule.each(
                11,
                "no floating point in core",
                layout.inCore(),
                "compute with integers only",
                "fixed point means the same everywhere and allocates nothing",
                (c, report) -> {
                    for (JavaField field : c.getFields()) {
                        if (isFloating(field.getRawType())) {
                            report.accept("field " + field.getName());
                        }
                    }
                    for (JavaMethod method : c.getMethods()) {
                        if (isFloating(method.getRawReturnType())
                                || method.getRawParameterTypes().stream()
                                        .anyMatch(PurityRules::isFloating)) {
                            report.accept("signature of " + method.getName());
                        }
                    }
                    Bytecode.floatingPoint(c).forEach(m -> report.accept("arithmetic in " + m));
                });
    }

    private static boolean isFloating(JavaClass type) {
        String name = type.getBaseComponentType().getName();
        return Set.of("float", "double", "java.lang.Float", "java.lang.Double").contains(name);
    }

    private Rule strictMath() {
        return Rule.each(
                11,
                "functions are strict",
                layout.ours(),
                "use StrictMath for transcendental functions",
                "Math may differ in the last bit between platforms, and a run must not",
                (c, report) ->
                        c.getMethodCallsFromSelf().stream()
                                .filter(
                                        call ->
                                                call.getTargetOwner()
                                                                .getName()
                                                                .equals("java.lang.Math")
                                                        && LOOSE_MATH.contains(call.getName()))
                                .forEach(call -> report.accept(call.getDescription())));
    }

    private Rule quiet() {
        return accesses(
                15,
                "only cli prints and exits",
                layout.ours().and(not(layout.in("cli"))),
                PRINTING,
                "a library that prints cannot be embedded");
    }

    private Rule threads() {
        return Rule.each(
                15,
                "only runtime starts threads",
                layout.ours().and(not(layout.in("runtime"))),
                "start no threads",
                "a simulation is one thread, and whose it is, is the caller's decision",
                (c, report) -> {
                    c.getDirectDependenciesFromSelf().stream()
                            .filter(d -> THREAD_TYPES.contains(d.getTargetClass().getName()))
                            .forEach(d -> report.accept(d.getDescription()));
                    accessesTo(c, THREAD_CALLS, a -> report.accept(a.getDescription()));
                });
    }

    /**
     * Assertions and the compiler's own MatchException aside, nothing in wire creates a throwable.
     */
    private Rule codecsDoNotThrow() {
        return Rule.each(
                16,
                "codecs do not throw",
                layout.in("wire")
                        .and(not(layout.named("wire.SegmentNotation", "wire.IpAddressText"))),
                "create no exceptions",
                "a bad packet is an everyday event: it is counted, not thrown. (What reads text"
                        + " that people wrote may complain.)",
                (c, report) ->
                        c.getConstructorCallsFromSelf().stream()
                                .filter(PurityRules::createsThrowable)
                                .forEach(call -> report.accept(call.getDescription())));
    }

    private static boolean createsThrowable(JavaConstructorCall call) {
        JavaClass type = call.getTargetOwner();
        return type.isAssignableTo(Throwable.class)
                && !type.isEquivalentTo(MatchException.class)
                && !type.isEquivalentTo(AssertionError.class)
                && !call.getOriginOwner().isAssignableTo(Throwable.class);
    }

    private static Rule accesses(
            int number,
            String name,
            DescribedPredicate<JavaClass> subjects,
            Set<String> forbidden,
            String because) {
        return Rule.each(
                number,
                name,
                subjects,
                "not use " + String.join(", ", forbidden.stream().sorted().toList()),
                because,
                (c, report) -> accessesTo(c, forbidden, a -> report.accept(a.getDescription())));
    }

    private static void accessesTo(
            JavaClass c, Set<String> targets, java.util.function.Consumer<JavaAccess<?>> action) {
        for (JavaAccess<?> access : c.getAccessesFromSelf()) {
            if (targets.contains(access.getTargetOwner().getName() + "." + access.getName())) {
                action.accept(access);
            }
        }
        c.getMethodReferencesFromSelf().stream()
                .filter(r -> targets.contains(r.getTargetOwner().getName() + "." + r.getName()))
                .forEach(action);
    }
}
