package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Runs one script in virtual time: injects its packets, makes its calls, and compares what the
 * subject does with what the script demands.
 *
 * <p>Nothing takes time by itself. At one instant a packet arrives first, then timers due are run,
 * then the script's next event happens.
 */
final class ScriptRunner {
    private static final long SECOND = 1_000_000_000L;

    /** How long past its time an expected packet is waited for. */
    private static final long PACKET_PATIENCE_NANOS = 2 * SECOND;

    /** How long a packet that may come at any time is waited for. */
    private static final long ANY_TIME_PATIENCE_NANOS = 3_600 * SECOND;

    /** How long a call waits for an earlier one that blocks. */
    private static final long CALL_PATIENCE_NANOS = SECOND;

    /** How long a call may block that the script does not say blocks. */
    private static final long HIDDEN_BLOCK_NANOS = 10 * SECOND;

    private static final int SHOWN_FRAMES = 6;

    /** A subject whose deadline stays in the past this often at one instant is stuck. */
    private static final int STUCK = 100_000;

    private final Source source;
    private final Script script;
    private final ScriptFlags flags;
    private final Subject subject;
    private final PacketBuilder builder;
    private final Connections connections;
    private final CodeEvaluator code = new CodeEvaluator();
    private final Trail trail = new Trail();
    private final List<ScriptResult.CapturedPacket> capture = new ArrayList<>();

    private long now;
    private long previousScripted;
    private boolean previousInjected;
    private BlockedCall blocked;
    private Position current;

    /** The call that has not returned. */
    private record BlockedCall(Step.Call call, long start, long expectedEnd) {}

    private ScriptRunner(Source source, Script script, ScriptFlags flags, Subject subject) {
        this.source = source;
        this.script = script;
        this.current = script.steps().getFirst().position();
        this.flags = flags;
        this.subject = subject;
        this.builder = new PacketBuilder(flags.scaledEchoReply());
        this.connections = new Connections(Addresses.local(flags), Addresses.remote(flags), flags);
    }

    /** Runs a parsed script to its end or its first failure. */
    static ScriptResult run(Source source, Script script, ScriptFlags flags, Subject subject) {
        ScriptRunner runner = new ScriptRunner(source, script, flags, subject);
        try {
            runner.runAll();
            return runner.result(Verdict.PASSED, null, "", List.of());
        } catch (ScriptFailure failure) {
            return runner.failed(Verdict.FAILED, failure.position(), failure.getMessage());
        } catch (UnsupportedScriptException unsupported) {
            return runner.failed(
                    Verdict.UNSUPPORTED, unsupported.position(), unsupported.getMessage());
        } catch (ScriptSyntaxException syntax) {
            return runner.failed(Verdict.FAILED, syntax.position(), syntax.problem());
        } catch (RuntimeException | AssertionError bug) {
            return runner.failed(Verdict.FAILED, runner.current, describe(bug));
        }
    }

    /** A fault of the stack or of this interpreter fails the script and ends nothing else. */
    private static String describe(Throwable bug) {
        StackTraceElement[] trace = bug.getStackTrace();
        StringBuilder text = new StringBuilder("broken: ").append(bug);
        for (int i = 0; i < Math.min(SHOWN_FRAMES, trace.length); i++) {
            text.append("\n  at ").append(trace[i]);
        }
        return text.toString();
    }

    private ScriptResult failed(Verdict verdict, Position position, String message) {
        List<String> details = new ArrayList<>();
        details.add("script: " + source.line(position.line()).strip());
        String[] lines = message.split("\n");
        details.addAll(List.of(lines).subList(1, lines.length));
        details.add("last events:");
        trail.lines().forEach(line -> details.add("  " + line));
        return result(verdict, position, lines[0], details);
    }

    private ScriptResult result(
            Verdict verdict, Position position, String message, List<String> details) {
        return new ScriptResult(
                script.name(),
                "",
                verdict,
                Optional.ofNullable(position),
                message,
                details,
                now,
                capture);
    }

    private void runAll() {
        if (!script.undefinedNames().isEmpty()) {
            Script.UndefinedName name = script.undefinedNames().getFirst();
            throw new UnsupportedScriptException(
                    name.position(), "the name " + name.name() + ", which needs a definition");
        }
        if (script.init().isPresent()) {
            shell(script.init().get());
        }
        boolean first = true;
        for (Step step : script.steps()) {
            run(step, first);
            first = false;
        }
        if (!awaitReturn(CALL_PATIENCE_NANOS)) {
            throw new ScriptFailure(
                    blocked.call().position(), blocked.call().name() + " never returned");
        }
        if (script.cleanup().isPresent()) {
            shell(script.cleanup().get());
        }
    }

    private void run(Step step, boolean first) {
        current = step.position();
        boolean injects = step instanceof Step.Inject;
        long base = injects && previousInjected ? previousScripted : now;
        TimeRules.Span span = TimeRules.span(step.time(), base);
        if (step.time() instanceof TimeSpec.Absolute at) {
            if (first && at.nanos() != 0) {
                throw new ScriptFailure(step.position(), "the first event must be at time 0");
            }
            if (at.nanos() < previousScripted) {
                throw new ScriptFailure(
                        step.position(),
                        "time goes back from " + TimeRules.seconds(previousScripted) + " s");
            }
        }
        if (step instanceof Step.Expect expect) {
            expect(expect, span);
        } else {
            reach(step, span);
            perform(step, base);
        }
        previousScripted = span.isAlways() ? base : span.earliest();
        previousInjected = injects;
    }

    /** Lets time pass until an event that the script itself causes. */
    private void reach(Step step, TimeRules.Span span) {
        runUntil(span.earliest());
        Optional<String> late = TimeRules.check(span, previousScripted, now, flags.tolerance());
        if (late.isPresent()) {
            throw new ScriptFailure(step.position(), "event out of time: " + late.get());
        }
    }

    private void perform(Step step, long base) {
        switch (step) {
            case Step.Inject inject -> inject(inject);
            case Step.Call call -> call(call, base);
            case Step.Command command -> {
                trail.add(now, "`" + command.command().text().strip() + "`");
                shell(command.command());
                settle();
            }
            case Step.Code block -> code(block);
            case Step.Expect expect -> throw new IllegalStateException("not an action");
        }
    }

    private void shell(Step.ShellText text) {
        for (ShellEffect effect : ShellInterpreter.interpret(text)) {
            subject.apply(now, effect);
        }
    }

    private void code(Step.Code block) {
        List<CodeStatement> statements = CodeParser.parse(block.code());
        Optional<Map<String, Long>> values =
                subject.information(
                        now, connections.descriptor(block.position()), block.position());
        trail.add(now, "%{ " + block.code().text().strip().replaceAll("\\s+", " ") + " }%");
        if (values.isEmpty()) {
            return;
        }
        Optional<CodeEvaluator.Failure> failure = code.run(statements, values.get());
        if (failure.isPresent()) {
            throw new ScriptFailure(failure.get().position(), failure.get().toString());
        }
    }

    private void inject(Step.Inject inject) {
        Conversation conversation = connections.forInjected(inject.packet(), inject.position());
        byte[] packet = builder.build(inject.packet(), conversation);
        if (inject.packet() instanceof PacketSpec.Tcp tcp) {
            conversation.injecting(tcp);
        }
        trail.add(now, SegmentText.of(inject.packet(), true));
        capture.add(new ScriptResult.CapturedPacket(now, false, packet));
        int payload = inject.packet() instanceof PacketSpec.Tcp tcp ? tcp.sequence().length() : 0;
        int coalesced =
                flags.injectedMss() > 0 && payload > flags.injectedMss() ? flags.injectedMss() : 0;
        subject.deliver(now, packet, coalesced);
        settle();
    }

    private void expect(Step.Expect expect, TimeRules.Span span) {
        if (!(expect.packet() instanceof PacketSpec.Tcp wanted)) {
            throw new UnsupportedScriptException(
                    expect.position(), "expecting packets other than TCP segments");
        }
        requirePlain(wanted);
        Conversation conversation = connections.forExpected(wanted, expect.position());
        long limit =
                span.isAlways()
                        ? now + ANY_TIME_PATIENCE_NANOS
                        : Math.max(now, span.latest()) + PACKET_PATIENCE_NANOS;
        SegmentGluer gluer = new SegmentGluer(wanted.sequence().length());
        boolean more = true;
        while (more) {
            LivePacket packet = nextPacket(conversation, limit, expect.position());
            if (packet == null) {
                break;
            }
            Segment segment = conversation.toScript(packet);
            trail.add(packet.timeNanos(), SegmentText.of(segment));
            gluer.add(segment);
            more = !flags.strictSegments() && gluer.wantsMore();
        }
        compare(expect, wanted, conversation, gluer, span);
    }

    private static void requirePlain(PacketSpec.Tcp wanted) {
        if (!wanted.envelope().outer().isEmpty() || wanted.envelope().pspSpi().isPresent()) {
            throw new UnsupportedScriptException(wanted.position(), "encapsulated packets");
        }
        if (wanted.udpEncapsulation().isPresent()) {
            throw new UnsupportedScriptException(wanted.position(), "encapsulation in UDP");
        }
        List<OptionSpec> options = wanted.options().orElse(List.of());
        if (options.stream()
                .anyMatch(o -> o instanceof OptionSpec.Md5 m && m.digest().equals("valid"))) {
            throw new UnsupportedScriptException(wanted.position(), "a computed MD5 digest");
        }
    }

    private void compare(
            Step.Expect expect,
            PacketSpec.Tcp wanted,
            Conversation conversation,
            SegmentGluer gluer,
            TimeRules.Span span) {
        String expected = "expected: " + SegmentText.of(wanted, false);
        if (gluer.isEmpty()) {
            String until = TimeRules.seconds(now);
            throw new ScriptFailure(
                    expect.position(), "no packet came until " + until + " s\n" + expected);
        }
        Segment actual = gluer.glued();
        conversation.pairTimestamps(wanted, actual);
        List<String> differences = new ArrayList<>();
        gluer.problem().ifPresent(differences::add);
        boolean comparesClock = flags.timestampTickMicros() > 0;
        long slack = comparesClock ? timestampSlack(span) : 0;
        differences.addAll(
                SegmentMatcher.differences(
                        wanted,
                        actual,
                        comparesClock
                                ? conversation.expectedTimestamp(wanted)
                                : OptionalLong.empty(),
                        slack,
                        flags.checksWindows()));
        String shown = expected + "\nactual:   " + SegmentText.of(actual);
        if (!differences.isEmpty()) {
            throw new ScriptFailure(
                    expect.position(), String.join("; ", differences) + "\n" + shown);
        }
        Optional<String> time =
                TimeRules.check(span, previousScripted, actual.timeNanos(), flags.tolerance());
        if (time.isPresent()) {
            throw new ScriptFailure(
                    expect.position(), "packet out of time: " + time.get() + "\n" + shown);
        }
    }

    /** Ticks a timestamp may be off: the tolerance over the whole time since the start. */
    private long timestampSlack(TimeRules.Span span) {
        long since = span.isAlways() ? now : span.earliest();
        return flags.tolerance().slack(since) / (flags.timestampTickMicros() * 1_000L);
    }

    /** The next packet of a connection, letting time pass up to {@code limit}; null if none. */
    private LivePacket nextPacket(Conversation conversation, long limit, Position position) {
        int idle = 0;
        while (true) {
            LivePacket packet = takePacket();
            if (packet == null) {
                long deadline = subject.nextDeadline();
                if (deadline > limit) {
                    now = Math.max(now, deadline == Subject.NEVER ? now : limit);
                    return null;
                }
                idle = deadline > now ? 0 : requireProgress(idle);
                now = Math.max(now, deadline);
                subject.advance(now);
                settle();
                continue;
            }
            if (!packet.fault().isEmpty()) {
                throw new ScriptFailure(
                        position, "the stack sent a broken packet: " + packet.fault());
            }
            if (connections.belongs(packet, conversation)) {
                now = Math.max(now, packet.timeNanos());
                return packet;
            }
            trail.add(packet.timeNanos(), "not of this connection: " + packet);
        }
    }

    private LivePacket takePacket() {
        LivePacket packet = subject.takePacket();
        if (packet != null) {
            capture.add(new ScriptResult.CapturedPacket(packet.timeNanos(), true, packet.bytes()));
        }
        return packet;
    }

    private int requireProgress(int idle) {
        if (idle == STUCK) {
            throw new IllegalStateException("the deadline does not move beyond " + now);
        }
        return idle + 1;
    }

    /** Lets time pass, running timers on the way; never goes back. */
    private void runUntil(long time) {
        int idle = 0;
        long deadline = subject.nextDeadline();
        while (deadline <= time) {
            idle = deadline > now ? 0 : requireProgress(idle);
            now = Math.max(now, deadline);
            subject.advance(now);
            settle();
            deadline = subject.nextDeadline();
        }
        now = Math.max(now, time);
    }

    private void call(Step.Call call, long base) {
        awaitReturn(CALL_PATIENCE_NANOS);
        if (blocked != null && call.blockingEndNanos().isPresent()) {
            throw new ScriptFailure(
                    call.position(), blocked.call().name() + " is still blocking when this begins");
        }
        connections.beforeCall(call);
        Subject.Outcome outcome = subject.call(now, call);
        trail.add(now, CallText.of(call, outcome));
        if (call.blockingEndNanos().isPresent()) {
            long end =
                    TimeRules.blockingEnd(call.time(), call.blockingEndNanos().getAsLong(), base);
            blocked = new BlockedCall(call, now, end);
            if (!outcome.blocked()) {
                finish(outcome);
            }
        } else if (outcome.blocked()) {
            blocked = new BlockedCall(call, now, Long.MIN_VALUE);
            if (!awaitReturn(HIDDEN_BLOCK_NANOS)) {
                throw new ScriptFailure(call.position(), call.name() + " blocks");
            }
        } else {
            check(call, outcome);
        }
        settle();
    }

    /** Lets time pass until no call blocks, at most for {@code patience}. */
    private boolean awaitReturn(long patience) {
        long limit = now + patience;
        int idle = 0;
        while (blocked != null) {
            long deadline = subject.nextDeadline();
            if (deadline > limit) {
                now = limit;
                return false;
            }
            idle = deadline > now ? 0 : requireProgress(idle);
            now = Math.max(now, deadline);
            subject.advance(now);
            settle();
        }
        return true;
    }

    /** Gives a blocked call the chance to go on. */
    private void settle() {
        if (blocked != null) {
            Subject.Outcome outcome = subject.retry(now);
            if (!outcome.blocked()) {
                trail.add(now, "returned: " + CallText.of(blocked.call(), outcome));
                finish(outcome);
            }
        }
    }

    private void finish(Subject.Outcome outcome) {
        BlockedCall call = blocked;
        blocked = null;
        check(call.call(), outcome);
        if (call.expectedEnd() == Long.MIN_VALUE) {
            return;
        }
        TimeRules.Span span = new TimeRules.Span(call.expectedEnd(), call.expectedEnd());
        Optional<String> time = TimeRules.check(span, call.start(), now, flags.tolerance());
        if (time.isPresent()) {
            throw new ScriptFailure(
                    call.call().position(), "return of " + call.call().name() + ": " + time.get());
        }
    }

    private void check(Step.Call call, Subject.Outcome outcome) {
        Optional<String> problem = CallText.problem(call, outcome);
        if (problem.isPresent() && !flags.nonFatal().contains("syscall")) {
            throw new ScriptFailure(call.position(), call.name() + ": " + problem.get());
        }
        connections.afterCall(call, outcome);
    }
}
