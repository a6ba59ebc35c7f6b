package dev.sluice.race;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * One protocol between threads: a row of the table in {@code docs/races.md}. The class that carries
 * it holds the tests; those without {@link MustFail} must never show a forbidden outcome.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Row {
    /** The class that is tested, as {@code package/Class}, or the litmus program. */
    String shared();

    /** What the protocol achieves, in a few words. */
    String protocol();

    /** Writer → reader. */
    String parties();

    /** What makes it right. */
    String ordering();
}
