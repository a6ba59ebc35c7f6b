package dev.sluice.lab.scenario;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;

import java.util.List;

/**
 * An experiment: a client and a server, the link between them, what they do, and what is expected.
 * Everything random in it follows from the seed of the run.
 *
 * @param name lower-case words joined by hyphens
 * @param summary one line
 * @param network the two hosts and the link, in words
 * @param toServer the link from the client to the server
 * @param toClient the link back
 * @param card the network card of either host
 * @param config the configuration of either stack
 * @param workload what the programs do
 * @param limitNanos virtual time after which the programs are not waited for any longer
 * @param expectations what has to be measured
 */
public record Scenario(
        String name,
        String summary,
        String network,
        LinkSpec toServer,
        LinkSpec toClient,
        NicSpec card,
        StackConfig config,
        Workload workload,
        long limitNanos,
        List<Expectation> expectations) {
    public Scenario {
        expectations = List.copyOf(expectations);
    }

    /** The same experiment, judged by these expectations. */
    public Scenario judgedBy(List<Expectation> others) {
        return new Scenario(
                name,
                summary,
                network,
                toServer,
                toClient,
                card,
                config,
                workload,
                limitNanos,
                others);
    }

    /** The same experiment with stacks configured otherwise, and the same expectations. */
    public Scenario with(StackConfig other) {
        return new Scenario(
                name,
                summary,
                network,
                toServer,
                toClient,
                card,
                other,
                workload,
                limitNanos,
                expectations);
    }
}
