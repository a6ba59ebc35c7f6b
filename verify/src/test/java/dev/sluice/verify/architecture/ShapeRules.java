package dev.sluice.verify.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What types look like: rules 12 and 13. */
final class ShapeRules {
    /** Interfaces that may have a single implementation. */
    private static final Set<String> SEAMS =
            Set.of(
                    "App",
                    "Attention",
                    "Checker",
                    "Clock",
                    "CongestionController",
                    "Device",
                    "Diagnosis",
                    "HostSource",
                    "Impairment",
                    "LiveStackMXBean",
                    "PacketSink",
                    "Qdisc",
                    "SocketSignals",
                    "StackObserver",
                    "TransmitOwner");

    private static final List<String> EMPTY_NAMES =
            List.of("Impl", "Utils", "Util", "Helper", "Manager", "Base");

    private final Layout layout;

    private ShapeRules(Layout layout) {
        this.layout = layout;
    }

    /**
     * @param all every class of the root: how many implementations an interface has is seen only
     *     from all of them
     */
    static List<Rule> of(Layout layout, JavaClasses all) {
        ShapeRules rules = new ShapeRules(layout);
        return List.of(rules.noInheritance(), rules.seams(all), rules.names());
    }

    private Rule noInheritance() {
        return Rule.each(
                12,
                "no class extends another of ours",
                layout.ours(),
                "extend no class of ours",
                "what a class does is read in one file; constants of an enum may have bodies",
                (c, report) ->
                        c.getRawSuperclass()
                                .filter(layout.ours())
                                .filter(s -> !s.isEnum())
                                .ifPresent(s -> report.accept("extends " + s.getName())));
    }

    private Rule seams(JavaClasses all) {
        Map<String, Integer> implementations = new HashMap<>();
        for (JavaClass c : all) {
            if (!c.isInterface()) {
                c.getAllRawInterfaces()
                        .forEach(i -> implementations.merge(i.getName(), 1, Integer::sum));
            }
            Bytecode.lambdaInterfaces(c).forEach(i -> implementations.merge(i, 1, Integer::sum));
        }
        DescribedPredicate<JavaClass> interfaces =
                DescribedPredicate.describe(
                        "that are interfaces", c -> c.isInterface() && !c.isAnnotation());
        return Rule.each(
                12,
                "an interface has several implementations or is a seam",
                layout.ours().and(interfaces),
                "have more than one implementation, or be a named seam",
                "an interface with one implementation is a second name for it",
                (c, report) -> {
                    boolean seam =
                            SEAMS.contains(c.getSimpleName()) || layout.in("tcp.policy").test(c);
                    int count = implementations.getOrDefault(c.getName(), 0);
                    if (!seam && count < 2) {
                        report.accept("has " + count + " implementations");
                    }
                });
    }

    private Rule names() {
        return Rule.each(
                13,
                "names say something",
                layout.ours(),
                "not end in " + String.join(", ", EMPTY_NAMES),
                "such a name would fit any class",
                (c, report) -> {
                    for (String ending : EMPTY_NAMES) {
                        if (c.getSimpleName().endsWith(ending)) {
                            report.accept("ends in " + ending);
                        }
                    }
                });
    }
}
