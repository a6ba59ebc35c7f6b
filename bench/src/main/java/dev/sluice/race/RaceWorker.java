package dev.sluice.race;

import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.TestConfig;
import org.openjdk.jcstress.infra.runners.TestList;
import org.openjdk.jcstress.os.AffinityMode;
import org.openjdk.jcstress.os.NodeType;
import org.openjdk.jcstress.os.SchedulingClass;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A JVM that runs some of the tests, one after the other, with the runners that jcstress generated
 * for them. jcstress itself starts several JVMs for every test, which takes minutes; here a test
 * costs little more than the time it is meant to run.
 *
 * <p>Arguments: milliseconds for each test, then the names of the tests. For each of them a line
 * {@code test NAME STATUS}, then a line {@code count N STATE} for every state that was seen, and
 * whatever went wrong as {@code note TEXT}.
 */
public final class RaceWorker {
    private static final int STRIDE = 64;
    private static final int STRIDES = 4;

    /** States in flight: a test may share something bounded among so many samples. */
    public static final int SAMPLES_AT_ONCE = STRIDE * STRIDES;

    private RaceWorker() {}

    public static void main(String[] args) throws ReflectiveOperationException, IOException {
        Options options = options(args[0]);
        for (String name : List.of(args).subList(1, args.length)) {
            Runner<?> runner = runner(options, TestList.getInfo(name));
            TestResult result = runner.run();
            print(System.out, name, result);
            if (runner.forceExit()) {
                // Its threads do not end, and would disturb the next test.
                System.exit(1);
            }
        }
    }

    private static Options options(String millis) throws IOException {
        List<String> arguments = new ArrayList<>();
        Collections.addAll(arguments, "-iters", "1", "-time", millis);
        Collections.addAll(arguments, "-strideSize", Integer.toString(STRIDE));
        Collections.addAll(arguments, "-strideCount", Integer.toString(STRIDES));
        Options options = new Options(arguments.toArray(String[]::new));
        options.parse();
        return options;
    }

    private static Runner<?> runner(Options options, TestInfo info)
            throws ReflectiveOperationException {
        SchedulingClass anywhere =
                new SchedulingClass(AffinityMode.NONE, info.threads(), NodeType.PACKAGE);
        TestConfig config = new TestConfig(options, info, 0, List.of(), 0, anywhere);
        return (Runner<?>)
                Class.forName(info.generatedRunner())
                        .getConstructor(ForkedTestConfig.class)
                        .newInstance(new ForkedTestConfig(config));
    }

    private static void print(PrintStream out, String name, TestResult result) {
        out.println("test " + name + " " + result.status());
        for (String state : result.getStateKeys()) {
            out.println("count " + result.getCount(state) + " " + state);
        }
        for (String message : result.getMessages()) {
            message.lines().forEach(line -> out.println("note " + line));
        }
        out.flush();
    }
}
