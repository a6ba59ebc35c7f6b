package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.seed.Rng;

/** Loss in bursts: a good state without loss and a bad state with much of it, left by chance. */
final class GilbertElliott implements Impairment {
    private final Rng rng;
    private final long turnsBad;
    private final long turnsBadOf;
    private final long turnsGood;
    private final long turnsGoodOf;
    private final long loses;
    private final long losesOf;
    private boolean bad;

    /**
     * Three probabilities, each so many of so many: that a packet finds the good state turned bad,
     * the bad one turned good, and that the bad state loses it.
     */
    GilbertElliott(
            Rng rng,
            long turnsBad,
            long turnsBadOf,
            long turnsGood,
            long turnsGoodOf,
            long loses,
            long losesOf) {
        this.rng = rng;
        this.turnsBad = turnsBad;
        this.turnsBadOf = turnsBadOf;
        this.turnsGood = turnsGood;
        this.turnsGoodOf = turnsGoodOf;
        this.loses = loses;
        this.losesOf = losesOf;
    }

    @Override
    public void apply(long now, PacketBuffer packet, PacketFate fate) {
        if (bad) {
            bad = !rng.chance(turnsGood, turnsGoodOf);
        } else {
            bad = rng.chance(turnsBad, turnsBadOf);
        }
        if (bad && rng.chance(loses, losesOf)) {
            fate.lose();
        }
    }
}
