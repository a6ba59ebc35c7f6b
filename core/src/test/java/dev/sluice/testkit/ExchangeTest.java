package dev.sluice.testkit;

import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A class of tests that use {@link TcpTest}. After each test that succeeded every exchange it began
 * is ended: output that nobody expected, or a packet or block that is not given back, fails it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(ExchangeExtension.class)
public @interface ExchangeTest {}
