package dev.sluice.verify.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The drawing of modules and packages that the rules refer to. Names are relative to a root
 * package, so that the same rules can be put to the project and to fixture classes that break them.
 *
 * @param root {@code dev.sluice}, or the root package of the fixtures
 */
record Layout(String root) {
    /** Packages of the core, each with the packages of the core it may use. */
    static final Map<String, Set<String>> CORE =
            Map.of(
                    "config", Set.of(),
                    "memory", Set.of(),
                    "seed", Set.of(),
                    "trace", Set.of(),
                    "wire", Set.of("config", "memory", "seed", "trace"),
                    "tcp.congestion", Set.of("config", "memory", "seed", "trace"),
                    "tcp.policy", Set.of("config", "memory", "seed", "trace"),
                    "tcp",
                            Set.of(
                                    "config",
                                    "memory",
                                    "seed",
                                    "trace",
                                    "wire",
                                    "tcp.congestion",
                                    "tcp.policy"),
                    "stack",
                            Set.of(
                                    "config",
                                    "memory",
                                    "seed",
                                    "trace",
                                    "wire",
                                    "tcp",
                                    "tcp.congestion",
                                    "tcp.policy"),
                    "socket",
                            Set.of(
                                    "config",
                                    "memory",
                                    "seed",
                                    "trace",
                                    "wire",
                                    "tcp",
                                    "tcp.congestion",
                                    "tcp.policy",
                                    "stack"));

    /** Modules around the core, each with the other modules it may use besides the core. */
    static final Map<String, Set<String>> MODULES =
            Map.of(
                    "sim", Set.of(),
                    "doctor", Set.of(),
                    "runtime", Set.of(),
                    "lab", Set.of("sim", "doctor"),
                    "bench", Set.of("sim", "runtime"),
                    "cli", Set.of("sim", "doctor", "lab", "runtime"));

    static final List<String> CORE_PACKAGES = CORE.keySet().stream().sorted().toList();

    /** Everything in these packages, or below those that are a whole module. */
    DescribedPredicate<JavaClass> in(String... names) {
        return in(List.of(names));
    }

    DescribedPredicate<JavaClass> in(List<String> names) {
        return DescribedPredicate.describe(
                "in " + String.join(", ", names),
                c -> names.stream().anyMatch(name -> contains(name, c)));
    }

    DescribedPredicate<JavaClass> inCore() {
        return in(CORE_PACKAGES);
    }

    DescribedPredicate<JavaClass> ours() {
        return DescribedPredicate.describe(
                "classes of ours",
                c -> c.getPackageName().startsWith(root + ".") && !isPackageInfo(c));
    }

    /** The class with this name relative to the root, or one nested in it. */
    DescribedPredicate<JavaClass> named(String... names) {
        return named(List.of(names));
    }

    DescribedPredicate<JavaClass> named(List<String> names) {
        return DescribedPredicate.describe(
                "one of " + String.join(", ", names), c -> names.contains(relativeName(c)));
    }

    /** {@code tcp.Scoreboard} for the class and for everything nested in it. */
    String relativeName(JavaClass c) {
        String name = c.getName();
        if (!name.startsWith(root + ".")) {
            return name;
        }
        String relative = name.substring(root.length() + 1);
        int nested = relative.indexOf('$');
        return nested < 0 ? relative : relative.substring(0, nested);
    }

    boolean contains(String name, JavaClass c) {
        if (isPackageInfo(c)) {
            return false;
        }
        String packageName = c.getPackageName();
        String full = root + "." + name;
        return packageName.equals(full)
                || MODULES.containsKey(outermost(name)) && packageName.startsWith(full + ".");
    }

    /** The class that carries the comment of a package is no type of anybody's. */
    private static boolean isPackageInfo(JavaClass c) {
        return c.getSimpleName().equals("package-info");
    }

    private static String outermost(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }
}
