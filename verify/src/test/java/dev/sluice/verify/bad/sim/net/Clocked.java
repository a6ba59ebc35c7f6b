package dev.sluice.verify.bad.sim.net;

import dev.sluice.verify.bad.lab.Noisy;

import java.security.SecureRandom;
import java.util.Random;

/** Looks at the wall clock, rolls its own dice, and knows the laboratory. */
public final class Clocked {
    final Noisy noisy = new Noisy();

    double draw() {
        long seed = System.nanoTime() + new SecureRandom().nextInt();
        return Math.log(new Random(seed).nextDouble());
    }
}
