package dev.sluice.testkit;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.ArrayList;
import java.util.List;

/** Ends the exchanges that a test began; see {@link ExchangeTest}. */
public final class ExchangeExtension implements BeforeEachCallback, AfterEachCallback {
    private static final ThreadLocal<List<TcpTest>> BEGUN = ThreadLocal.withInitial(ArrayList::new);

    /** Called by JUnit. */
    public ExchangeExtension() {}

    static void began(TcpTest exchange) {
        BEGUN.get().add(exchange);
    }

    static void ended(TcpTest exchange) {
        BEGUN.get().remove(exchange);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        BEGUN.get().clear();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        List<TcpTest> begun = List.copyOf(BEGUN.get());
        BEGUN.get().clear();
        for (TcpTest exchange : begun) {
            if (context.getExecutionException().isEmpty()) {
                exchange.finish();
            }
            exchange.free();
        }
    }
}
