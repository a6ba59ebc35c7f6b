package dev.sluice.verify.bad.lab;

import java.util.ArrayList;

/** Prints, starts a thread, and keeps static and shared state. */
public final class Noisy {
    static final ArrayList<String> LINES = new ArrayList<>();

    private volatile int count;

    void run() {
        System.out.println(count);
        Thread.ofVirtual().start(() -> count = 1);
    }
}
