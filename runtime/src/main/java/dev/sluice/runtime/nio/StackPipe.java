package dev.sluice.runtime.nio;

import java.nio.channels.Pipe;

/** A pipe in memory, whose ends can be registered with a {@link StackSelector}. */
final class StackPipe extends Pipe {
    private final PipeSource source;
    private final PipeSink sink;

    StackPipe(StackSelectorProvider provider) {
        PipeBuffer buffer = new PipeBuffer();
        source = new PipeSource(provider, buffer);
        sink = new PipeSink(provider, buffer);
    }

    @Override
    public SourceChannel source() {
        return source;
    }

    @Override
    public SinkChannel sink() {
        return sink;
    }
}
