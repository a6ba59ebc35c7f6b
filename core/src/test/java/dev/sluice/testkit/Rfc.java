package dev.sluice.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Which requirement a test shows to be met: {@code "RFC 6675 section 5"}, or where the RFC numbers
 * its requirements {@code "RFC 9293 MUST-10"}. Kept at run time, for tables of conformance.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Rfc {
    /** One requirement each. */
    String[] value();
}
