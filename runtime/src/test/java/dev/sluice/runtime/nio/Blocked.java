package dev.sluice.runtime.nio;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A call in a thread of its own, which may block. */
final class Blocked {
    private static final long PATIENCE_SECONDS = 30;

    private final CompletableFuture<Object> outcome = new CompletableFuture<>();
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    private final Thread thread;

    private Blocked(Thread.Builder builder, Callable<?> call) {
        thread =
                builder.start(
                        () -> {
                            try {
                                Object result = call.call();
                                interrupted.complete(Thread.currentThread().isInterrupted());
                                outcome.complete(result);
                            } catch (Throwable e) {
                                interrupted.complete(Thread.currentThread().isInterrupted());
                                outcome.completeExceptionally(e);
                            }
                        });
    }

    static Blocked run(Callable<?> call) {
        return new Blocked(Thread.ofPlatform().daemon(), call);
    }

    static Blocked runVirtual(Callable<?> call) {
        return new Blocked(Thread.ofVirtual(), call);
    }

    Thread thread() {
        return thread;
    }

    /** Returns once the thread is within a call of a channel or a selector that did not return. */
    void awaitBlocked() {
        int seen = 0;
        while (seen < 20 && !outcome.isDone()) {
            seen = isWaiting() ? seen + 1 : 0;
            Thread.yield();
        }
    }

    /** Parked, or in a system call that waits: the JDK's own channels poll. */
    private boolean isWaiting() {
        if (thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING) {
            return true;
        }
        StackTraceElement[] trace = thread.getStackTrace();
        if (trace.length == 0) {
            return false;
        }
        // The JDK's own calls are native methods; ours may poll through a method handle.
        return trace[0].isNativeMethod() || trace[0].getMethodName().startsWith("invoke");
    }

    boolean isDone() {
        return outcome.isDone();
    }

    Object result() throws Exception {
        try {
            return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("the call failed", e.getCause());
        }
    }

    Throwable failure() throws Exception {
        try {
            Object result = outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            throw new AssertionError("the call returned " + result);
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    /** What the call threw; null if it returned. */
    Throwable failureOrNull() throws Exception {
        try {
            outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    boolean wasInterrupted() throws Exception {
        return interrupted.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
