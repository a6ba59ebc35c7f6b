package dev.sluice.race;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.StateCase;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.runners.TestList;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One generated test, and what was seen of it so far. */
final class RaceTest {
    private static final boolean X86 =
            List.of("amd64", "x86_64").contains(System.getProperty("os.arch"));

    private final TestInfo info;
    private final Class<?> holder;
    private final MustFail mustFail;
    private final Map<String, Long> counts = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();

    RaceTest(TestInfo info, Class<?> type) {
        this.info = info;
        holder = type.getEnclosingClass();
        mustFail = type.getAnnotation(MustFail.class);
    }

    /** All tests of the class path, in the order of their names. */
    static List<RaceTest> all() {
        List<RaceTest> tests = new ArrayList<>();
        for (String name : TestList.tests()) {
            TestInfo info = TestList.getInfo(name);
            try {
                tests.add(new RaceTest(info, Class.forName(info.binaryName())));
            } catch (ClassNotFoundException e) {
                throw new LinkageError(name, e);
            }
        }
        tests.sort(Comparator.comparing(RaceTest::name));
        return tests;
    }

    String name() {
        return info.name();
    }

    /** The class that carries the {@link Row}. */
    Class<?> holder() {
        return holder;
    }

    boolean mustFail() {
        return mustFail != null;
    }

    /** What a variant that must fail lacks. */
    String missing() {
        return mustFail.value();
    }

    /** Whether this machine can show what a variant lacks. */
    boolean isObservable() {
        return mustFail.onX86() || !X86;
    }

    void count(String state, long times) {
        counts.merge(state, times, Long::sum);
    }

    /** The test could not be run to its end. */
    void fault(String reason) {
        faults.add(reason);
    }

    List<String> faults() {
        return faults;
    }

    long samples() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * How often a forbidden outcome was seen; of a variant, what is forbidden in the real thing.
     */
    long bad() {
        return badStates().values().stream().mapToLong(Long::longValue).sum();
    }

    Map<String, Long> badStates() {
        Map<String, Long> bad = new TreeMap<>(counts);
        bad.keySet().removeIf(state -> !isBad(state));
        return bad;
    }

    /** As jcstress grades: an exact match goes before a pattern, the first one counts. */
    private boolean isBad(String state) {
        for (StateCase c : info.cases()) {
            if (c.matchesExactly(state)) {
                return isBad(c);
            }
        }
        for (StateCase c : info.cases()) {
            if (c.matches(state)) {
                return isBad(c);
            }
        }
        return isBad(info.unmatched());
    }

    private boolean isBad(StateCase c) {
        return mustFail()
                ? c.expect() == Expect.ACCEPTABLE_INTERESTING
                : c.expect() != Expect.ACCEPTABLE;
    }

    /** Whether a variant has shown what it must, or can not. */
    boolean isSettled() {
        return !mustFail() || !isObservable() || bad() > 0;
    }
}
