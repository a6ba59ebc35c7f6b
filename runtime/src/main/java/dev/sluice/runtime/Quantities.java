package dev.sluice.runtime;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers with units as people write them; whatever cannot be read is an {@link
 * IllegalArgumentException} with a sentence.
 */
final class Quantities {
    private static final Pattern NUMBER_AND_UNIT =
            Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,9})?)\\s*([a-z%]*)");

    private static final Map<String, Long> RATES =
            Map.of(
                    "", 1L,
                    "bit", 1L,
                    "kbit", 1_000L,
                    "mbit", 1_000_000L,
                    "gbit", 1_000_000_000L);

    private static final Map<String, Long> TIMES =
            Map.of("ns", 1L, "us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L);

    private static final Map<String, Long> SIZES =
            Map.of("", 1L, "b", 1L, "k", 1L << 10, "kib", 1L << 10, "m", 1L << 20, "mib", 1L << 20);

    private static final long BILLION = 1_000_000_000;

    private Quantities() {}

    /** Bits a second, from {@code 100mbit}. */
    static long rate(String text) {
        return scaled(text, RATES, "a rate, as in 100mbit (bit, kbit, mbit, gbit)");
    }

    /** Nanoseconds, from {@code 10ms}. */
    static long time(String text) {
        return scaled(text, TIMES, "a time with its unit, as in 10ms (ns, us, ms, s)");
    }

    /** Bytes, from {@code 64k}. */
    static long size(String text) {
        return scaled(text, SIZES, "a number of bytes, as in 64k (k and m are powers of 1024)");
    }

    /** So many of 10^9, from {@code 0.01} or {@code 1%}. */
    static int perBillion(String text) {
        Matcher m = NUMBER_AND_UNIT.matcher(text);
        if (m.matches() && (m.group(2).isEmpty() || m.group(2).equals("%"))) {
            BigDecimal share = new BigDecimal(m.group(1));
            if (!m.group(2).isEmpty()) {
                share = share.movePointLeft(2);
            }
            if (share.compareTo(BigDecimal.ONE) <= 0) {
                return share.multiply(BigDecimal.valueOf(BILLION))
                        .setScale(0, RoundingMode.HALF_UP)
                        .intValueExact();
            }
        }
        throw new IllegalArgumentException(
                "\"" + text + "\" is not a probability from 0 to 1, as in 0.01 or 1%");
    }

    /** A whole number. */
    static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not a whole number", e);
        }
    }

    /** {@code true} or {@code false}, nothing else. */
    static boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("\"" + text + "\" is not true or false");
        };
    }

    private static long scaled(String text, Map<String, Long> units, String what) {
        Matcher m = NUMBER_AND_UNIT.matcher(text.toLowerCase(Locale.ROOT));
        Long unit = m.matches() ? units.get(m.group(2)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("\"" + text + "\" is not " + what);
        }
        try {
            return new BigDecimal(m.group(1))
                    .multiply(BigDecimal.valueOf(unit))
                    .setScale(0, RoundingMode.HALF_UP)
                    .longValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("\"" + text + "\" is too large", e);
        }
    }
}
