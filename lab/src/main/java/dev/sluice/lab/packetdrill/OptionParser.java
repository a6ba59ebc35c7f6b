package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads the TCP options of a segment. */
final class OptionParser {
    private static final long MAX_UNSIGNED_32 = 0xffff_ffffL;
    private static final int MAX_ECN_COUNTER = 0xff_ffff;
    private static final String NAMES =
            "mss, wscale, sackOK, sack, TS, nop, eol, FO, FOEXP, md5 or ECN";

    private final Cursor cursor;

    OptionParser(Cursor cursor) {
        this.cursor = cursor;
    }

    /** Options in angle brackets; an empty list if there are none, nothing for {@code <...>}. */
    Optional<List<OptionSpec>> options(boolean inbound) {
        if (!cursor.accept("<")) {
            return Optional.of(List.of());
        }
        if (cursor.lookingAt("...")) {
            if (inbound) {
                throw cursor.expected("options, as an inbound segment must have definite ones");
            }
            cursor.require("...", "'...'");
            cursor.require(">", "'>' after the options");
            return Optional.empty();
        }
        List<OptionSpec> list = new ArrayList<>();
        do {
            list.add(option());
        } while (cursor.accept(","));
        cursor.require(">", "',' or '>' after an option");
        return Optional.of(list);
    }

    private OptionSpec option() {
        cursor.skipBlank();
        int start = cursor.offset();
        String name = cursor.define(cursor.word(NAMES));
        return switch (name) {
            case "nop" -> new OptionSpec.Nop();
            case "eol" -> new OptionSpec.EndOfList();
            case "mss" ->
                    new OptionSpec.MaximumSegmentSize(cursor.smallNumber("a segment size", 0xffff));
            case "wscale" -> new OptionSpec.WindowScale(cursor.smallNumber("a shift count", 0xff));
            case "sackOK" -> new OptionSpec.SackPermitted();
            case "sack" -> sack();
            case "TS" -> timestamps();
            case "FO" -> new OptionSpec.FastOpen(false, hex());
            case "FOEXP" -> new OptionSpec.FastOpen(true, hex());
            case "md5" -> new OptionSpec.Md5(cursor.acceptWord("valid") ? "valid" : hex());
            case "ECN" -> accurateEcn();
            default -> {
                cursor.rewind(start);
                throw cursor.expected("an option: " + NAMES);
            }
        };
    }

    private OptionSpec sack() {
        List<OptionSpec.Block> blocks = new ArrayList<>();
        do {
            long left = cursor.number("the left edge of a block", MAX_UNSIGNED_32);
            cursor.require(":", "':' between the edges of a block");
            long right = cursor.number("the right edge of a block", MAX_UNSIGNED_32);
            blocks.add(new OptionSpec.Block(left, right));
        } while (cursor.lookingAtDigit());
        return new OptionSpec.Sack(blocks);
    }

    private OptionSpec timestamps() {
        cursor.requireWord("val");
        long value = cursor.number("a timestamp", MAX_UNSIGNED_32);
        cursor.requireWord("ecr");
        return new OptionSpec.Timestamps(value, cursor.number("a timestamp", MAX_UNSIGNED_32));
    }

    /** Hexadecimal digits, or a word defined as such; nothing before a comma or the end. */
    private String hex() {
        Position position = cursor.position();
        int start = cursor.offset();
        String written = cursor.run();
        String digits = cursor.define(written).toLowerCase(Locale.ROOT);
        if (digits.startsWith("0x")) {
            digits = digits.substring(2);
        }
        for (int i = 0; i < digits.length(); i++) {
            if (Character.digit(digits.charAt(i), 16) < 0) {
                if (cursor.isDefined(written) || Cursor.isDigit(written.charAt(0))) {
                    cursor.rewind(start);
                    throw cursor.expected("hexadecimal digits");
                }
                cursor.reportUndefined(position, written);
                return "";
            }
        }
        if (digits.length() % 2 != 0) {
            cursor.rewind(start);
            throw cursor.expected("an even number of hexadecimal digits");
        }
        return digits;
    }

    private OptionSpec accurateEcn() {
        boolean firstIsE0 = cursor.acceptWord("e0b");
        if (!firstIsE0) {
            cursor.requireWord("e1b");
        }
        List<Integer> counters = new ArrayList<>();
        counters.add(cursor.smallNumber("a byte counter", MAX_ECN_COUNTER));
        if (cursor.acceptWord("ceb")) {
            counters.add(cursor.smallNumber("a byte counter", MAX_ECN_COUNTER));
            if (cursor.acceptWord(firstIsE0 ? "e1b" : "e0b")) {
                counters.add(cursor.smallNumber("a byte counter", MAX_ECN_COUNTER));
            }
        }
        return new OptionSpec.AccurateEcn(firstIsE0, counters);
    }
}
