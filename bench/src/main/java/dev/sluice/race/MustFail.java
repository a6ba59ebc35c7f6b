package dev.sluice.race;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a test of a protocol with something missing. Its forbidden outcome, which it declares as
 * interesting, has to be seen; otherwise the test beside it, which never shows it, proves nothing.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface MustFail {
    /** What is missing. */
    String value();

    /**
     * Whether x86 shows it. It hides what is missing from an atomic read-modify-write, which is a
     * full fence there whatever its mode; such a variant is broken by the memory model all the
     * same.
     */
    boolean onX86() default true;
}
