package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;

import java.io.IOException;
import java.io.PrintWriter;

/** How every {@code --json} looks: indented, in UTF-8, one document. */
final class Json {
    private Json() {}

    /**
     * Writes to {@code out}; closing the generator ends the document and leaves {@code out} open.
     *
     * @throws IOException never, as a {@link PrintWriter} keeps its failures to itself
     */
    static JsonGenerator generator(PrintWriter out) throws IOException {
        return new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
    }
}
