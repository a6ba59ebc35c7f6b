package dev.sluice.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

class EventLogTest {
    private static final List<Method> EVENTS =
            Arrays.stream(StackObserver.class.getMethods())
                    .filter(method -> !Modifier.isStatic(method.getModifiers()))
                    .sorted(Comparator.comparing(Method::getName))
                    .toList();

    @Test
    void every_event_comes_back_with_all_its_arguments() {
        List<String> told = new ArrayList<>();
        List<String> replayed = new ArrayList<>();
        EventLog log = new EventLog(1);
        for (int round = 0; round < 3; round++) {
            for (Method event : EVENTS) {
                tell(log, event, round);
                tell(recorder(told), event, round);
            }
        }
        for (long event = log.first(); event < log.end(); event++) {
            log.replay(event, recorder(replayed));
        }
        assertThat(replayed).hasSize(3 * EVENTS.size()).containsExactlyElementsOf(told);
        assertThat(EVENTS).hasSize(EventLog.Kind.values().length);
    }

    @Test
    void time_kind_and_connection_are_at_hand() {
        EventLog log = new EventLog(10);
        log.timerFired(77, 5, 2, 1);
        log.memoryPressureChanged(78, true, 12);
        assertThat(log.kind(0)).isEqualTo(EventLog.Kind.TIMER_FIRED);
        assertThat(log.time(0)).isEqualTo(77);
        assertThat(log.connection(0)).isEqualTo(5);
        assertThat(log.connection(1)).isEqualTo(StackObserver.NO_CONNECTION);
    }

    @Test
    void a_full_log_forgets_the_oldest_events() {
        EventLog log = new EventLog(600);
        for (int i = 0; i < 5_000; i++) {
            log.applicationWrote(i, 1, 10L * i);
        }
        assertThat(log.end()).isEqualTo(5_000);
        assertThat(log.first()).isEqualTo(5_000 - 1_024);
        for (long event = log.first(); event < log.end(); event++) {
            assertThat(log.time(event)).isEqualTo(event);
        }
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> log.time(log.first() - 1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> log.time(log.end()));
    }

    @Test
    void the_hash_depends_on_every_argument_and_on_the_order_but_not_on_the_capacity() {
        for (Method event : EVENTS) {
            long same = hashAfter(1, event, -1);
            assertThat(hashAfter(100_000, event, -1)).isEqualTo(same);
            for (int changed = 0; changed < event.getParameterCount(); changed++) {
                assertThat(hashAfter(1, event, changed))
                        .as("%s, argument %d", event.getName(), changed)
                        .isNotEqualTo(same);
            }
        }
        EventLog forth = new EventLog(1);
        forth.applicationRead(1, 1, 1);
        forth.applicationWrote(1, 1, 1);
        EventLog back = new EventLog(1);
        back.applicationWrote(1, 1, 1);
        back.applicationRead(1, 1, 1);
        assertThat(forth.hash()).isNotEqualTo(back.hash());
    }

    @Test
    void a_log_without_capacity_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new EventLog(0));
    }

    private static long hashAfter(int capacity, Method event, int changedArgument) {
        EventLog log = new EventLog(capacity);
        Object[] arguments = arguments(event, 1);
        if (changedArgument >= 0) {
            arguments[changedArgument] = arguments(event, 2)[changedArgument];
        }
        invoke(log, event, arguments);
        return log.hash();
    }

    private static void tell(StackObserver observer, Method event, int round) {
        invoke(observer, event, arguments(event, round));
    }

    private static void invoke(StackObserver observer, Method event, Object[] arguments) {
        try {
            event.invoke(observer, arguments);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new AssertionError(e);
        }
    }

    /** Distinct values; those of odd rounds are large or negative. */
    private static Object[] arguments(Method event, int round) {
        Class<?>[] types = event.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            boolean large = (round & 1) == 1;
            if (types[i] == boolean.class) {
                arguments[i] = large;
            } else if (types[i] == int.class) {
                boolean port = event.getName().equals("connectionOpened") && i > 1;
                arguments[i] =
                        port ? (large ? 65_535 - i : i) : large ? -1_000 - i : 100 + i + round;
            } else {
                arguments[i] = large ? Long.MIN_VALUE + i : 1_000_000_000_000L * (i + 1) + round;
            }
        }
        return arguments;
    }

    private static StackObserver recorder(List<String> lines) {
        return (StackObserver)
                Proxy.newProxyInstance(
                        StackObserver.class.getClassLoader(),
                        new Class<?>[] {StackObserver.class},
                        (proxy, method, arguments) -> {
                            lines.add(method.getName() + Arrays.toString(arguments));
                            return null;
                        });
    }
}
