package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/** The scoreboard against a list of segments with one object each. */
class ScoreboardModelTest {
    private static final int MSS = 100;

    private static final class Segment {
        long start;
        long end;
        int tags;
        long sent;
    }

    private final Scoreboard board = new Scoreboard();
    private final AckOutcome outcome = new AckOutcome();
    private final List<Segment> model = new ArrayList<>();
    private long una = 1;
    private long nxt = 1;
    private long now;
    private Rng rng;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void agrees_with_the_model_under_random_use(long seed) {
        rng = new Rng(seed);
        int window = seed % 2 == 0 ? 40 : 400;
        for (int step = 0; step < 6_000; step++) {
            now += rng.nextInt(3);
            step(window);
            compare();
        }
    }

    private void step(int window) {
        outcome.clear(now, 0, 0, una);
        int before = delivered();
        switch (rng.nextInt(16)) {
            case 0, 1, 2, 3, 4 -> append(window);
            case 5, 6, 7, 8 -> sack();
            case 9, 10 -> {
                before = acknowledge(before);
            }
            case 11, 12 -> markLost();
            case 13, 14 -> retransmit();
            default -> rareEvent();
        }
        assertThat(outcome.delivered).isEqualTo(Math.max(0, delivered() - before));
    }

    private void append(int window) {
        if (model.size() >= window) {
            return;
        }
        int segments = rng.between(1, 9);
        long end = nxt + segments * MSS - (rng.nextBoolean() ? rng.nextInt(MSS) : 0);
        board.append(nxt, end, MSS, 0, now);
        for (long at = nxt; at < end; at += MSS) {
            Segment s = new Segment();
            s.start = at;
            s.end = Math.min(at + MSS, end);
            s.sent = now;
            model.add(s);
        }
        nxt = end;
    }

    private void sack() {
        if (nxt - una < 2) {
            return;
        }
        long from = una + 1 + rng.nextLong(nxt - una - 1);
        long to = from + 1 + rng.nextLong(Math.min(nxt - from, 1500));
        board.sack(from, to, outcome);
        for (Segment s : model) {
            if (s.start >= from && s.end <= to && (s.tags & Scoreboard.SACKED) == 0) {
                int cleared =
                        (s.tags & Scoreboard.LOST) != 0 ? Scoreboard.LOST | Scoreboard.RETRANS : 0;
                s.tags = s.tags & ~cleared | Scoreboard.SACKED;
            }
        }
    }

    /** Answers the delivered count to compare with: what leaves unSACKed is delivered now. */
    private int acknowledge(int before) {
        int count = rng.nextInt(Math.min(model.size(), 20) + 1);
        if (count == 0) {
            return before;
        }
        int expected = 0;
        una = model.get(count - 1).end;
        for (int i = 0; i < count; i++) {
            if ((model.removeFirst().tags & Scoreboard.SACKED) == 0) {
                expected++;
            }
        }
        board.acknowledge(una, true, outcome);
        assertThat(outcome.packetsAcked).isEqualTo(count);
        return delivered() - expected;
    }

    private void markLost() {
        if (model.isEmpty()) {
            return;
        }
        int row = board.find(model.get(rng.nextInt(model.size())).start);
        board.markLost(row);
        for (Segment s : model) {
            boolean inRow = s.start >= board.start(row) && s.end <= board.end(row);
            if (inRow && (s.tags & Scoreboard.SACKED) == 0) {
                s.tags = s.tags & ~Scoreboard.RETRANS | Scoreboard.LOST;
            }
        }
    }

    private void retransmit() {
        int row = board.nextToRetransmit();
        if (row == Scoreboard.NONE) {
            return;
        }
        if (board.segments(row) > 1 && rng.nextBoolean()) {
            int segments = rng.between(1, board.segments(row) - 1);
            board.split(row, board.start(row) + segments * MSS, MSS);
        }
        board.retransmitted(row, now);
        for (Segment s : model) {
            if (s.start >= board.start(row) && s.end <= board.end(row)) {
                s.tags |= Scoreboard.RETRANS;
                s.sent = now;
            }
        }
    }

    private void rareEvent() {
        int which = rng.nextInt(12);
        if (which == 0) {
            board.clearLost();
            model.forEach(s -> s.tags &= ~Scoreboard.LOST);
        } else if (which == 1) {
            board.clearSacked();
            model.forEach(s -> s.tags &= ~Scoreboard.SACKED);
            outcome.delivered = 0;
        }
    }

    private int delivered() {
        return count(Scoreboard.SACKED);
    }

    private int count(int tag) {
        int n = 0;
        for (Segment s : model) {
            n += (s.tags & tag) != 0 ? 1 : 0;
        }
        return n;
    }

    private void compare() {
        board.checkInvariants();
        assertThat(board.packetsOut()).isEqualTo(model.size());
        assertThat(board.sackedOut()).isEqualTo(count(Scoreboard.SACKED));
        assertThat(board.lostOut()).isEqualTo(count(Scoreboard.LOST));
        assertThat(board.retransOut()).isEqualTo(count(Scoreboard.RETRANS));
        int mask = Scoreboard.SACKED | Scoreboard.LOST | Scoreboard.RETRANS;
        int row = board.first();
        long lowestPending = -1;
        for (Segment s : model) {
            while (board.end(row) <= s.start) {
                row = board.next(row);
            }
            if ((board.flags(row) & mask) != s.tags || board.sentNanos(row) != s.sent) {
                assertThat(board.flags(row) & mask).as("at " + s.start).isEqualTo(s.tags);
                assertThat(board.sentNanos(row)).as("at " + s.start).isEqualTo(s.sent);
            }
            if (s.tags == Scoreboard.LOST && lowestPending < 0) {
                lowestPending = s.start;
            }
        }
        int next = board.nextToRetransmit();
        assertThat(next == Scoreboard.NONE ? -1 : board.start(next)).isEqualTo(lowestPending);
    }
}
