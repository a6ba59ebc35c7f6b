package dev.sluice.lab.packetdrill;

import java.util.Optional;

/** What a call did, in words, and whether that is what the script demands. */
final class CallText {
    private CallText() {}

    /** The call as the script has it, with what it returned. */
    static String of(Step.Call call, Subject.Outcome outcome) {
        StringBuilder text = new StringBuilder(call.name()).append('(');
        for (int i = 0; i < call.arguments().size(); i++) {
            text.append(i == 0 ? "" : ", ").append(call.arguments().get(i));
        }
        text.append(") ");
        return text.append(outcome.blocked() ? "blocks" : "= " + result(outcome)).toString();
    }

    private static String result(Subject.Outcome outcome) {
        return outcome.errno() == 0
                ? Long.toString(outcome.result())
                : outcome.result() + " " + Errno.name(outcome.errno());
    }

    /** What is wrong with the result of a call, if anything. */
    static Optional<String> problem(Step.Call call, Subject.Outcome outcome) {
        String wanted = call.result() + call.errno().map(e -> " " + e).orElse("");
        if (!(call.result() instanceof Expression.Any)) {
            long expected = Symbols.value(call.result());
            boolean wrongError =
                    call.errno().isPresent()
                            && Errno.number(call.errno().get(), call.position()) != outcome.errno();
            if (expected != outcome.result() || wrongError) {
                return Optional.of("expected " + wanted + ", got " + result(outcome));
            }
        }
        return outcome.differences().isEmpty()
                ? Optional.empty()
                : Optional.of(String.join("; ", outcome.differences()));
    }
}
