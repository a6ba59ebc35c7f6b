package dev.sluice.verify.bad.tcp;

import java.util.ArrayList;
import java.util.List;

/** A boxed number per segment. */
final class Rows {
    final List<Integer> lengths = new ArrayList<>();
}
