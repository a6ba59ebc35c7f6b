package dev.sluice.cli;

import dev.sluice.runtime.AddressPrefix;
import dev.sluice.runtime.LiveStack;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.device.TunDevice;
import dev.sluice.runtime.device.TunSpec;
import dev.sluice.runtime.service.Service;
import dev.sluice.runtime.service.WarmUp;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code sluice serve}: Tomcat, or a few small services, on a live stack. */
@Command(
        name = "serve",
        description = {
            "Serves until it is interrupted; prints 'ready' when it does.",
            "Without --services: Tomcat, with a page of 3,096 characters. On a TUN device it"
                + " answers at --address; without --tun its stack is joined by a cable in memory to"
                + " a second one, and a relay leads there from the same port of localhost, which"
                + " needs no root.",
            "Services, on a TUN device: discard (port 9), source (19), echo (7), http (80: one page"
                    + " of 3,096 bytes).",
            "A TUN device needs root, or one that root made for you."
        })
final class ServeCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
            names = "--tun",
            paramLabel = "NAME",
            description = "The TUN device: one that exists, unless --host is given.")
    private String tun;

    @Option(
            names = "--address",
            split = ",",
            paramLabel = "IP[/PREFIX]",
            description = "Addresses to answer to (prefix: 24, for IPv6 64, if not given).")
    private List<String> addresses;

    @Option(
            names = "--services",
            split = ",",
            paramLabel = "SERVICE",
            description = "Small services instead of Tomcat: discard, source, echo, http.")
    private List<Service> services;

    @Option(
            names = "--port",
            defaultValue = "8080",
            paramLabel = "PORT",
            description = "Where Tomcat listens (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "IP[/PREFIX]",
            description = "Makes the device, with this address for the kernel, and brings it up.")
    private String host;

    @Option(
            names = "--mtu",
            defaultValue = "1500",
            paramLabel = "BYTES",
            description = "MTU of a device that is made (default: ${DEFAULT-VALUE}).")
    private int mtu;

    @Option(
            names = "--plain",
            description = "Complete packets of the MTU only: no super-packets, no offload.")
    private boolean plain;

    @Option(
            names = "--warm-up",
            defaultValue = "2",
            paramLabel = "SECONDS",
            description =
                    "How long the services are used over loopback before they are ready, so that"
                            + " they are compiled (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        if (tun != null && addresses == null || services != null && tun == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    tun == null
                            ? "services need a device: give --tun NAME and --address IP"
                            : "a stack on a TUN device needs an address of its own: --address IP");
        }
        return services == null ? serveTomcat() : serveServices();
    }

    private int serveTomcat() throws Exception {
        if (port < 1 || port > 65_535) {
            throw new ParameterException(spec.commandLine(), "a port is 1 to 65535");
        }
        PrintWriter out = spec.commandLine().getOut();
        try {
            if (tun == null) {
                TomcatServer.onCable(port, out);
            } else {
                device(); // what is wrong with the options is said here
                List<AddressPrefix> own = addresses.stream().map(this::own).toList();
                TomcatServer.onTun(configuration(own), own.getFirst().address(), port, out);
            }
            return ExitCode.OK;
        } catch (TomcatServer.NotStarted e) {
            PrintWriter err = spec.commandLine().getErr();
            err.println(spec.qualifiedName() + ": " + e.getMessage());
            return ExitCode.USAGE;
        }
    }

    /** The file that says which stack Tomcat's JVM has. */
    private String configuration(List<AddressPrefix> own) {
        StringBuilder text = new StringBuilder("device=tun:" + tun + "\n");
        text.append("address=");
        for (int i = 0; i < own.size(); i++) {
            text.append(i == 0 ? "" : ",").append(own.get(i).address());
            text.append('/').append(own.get(i).length());
        }
        text.append("\nplain=").append(plain).append('\n');
        if (host != null) {
            AddressPrefix prefix = own(host);
            text.append("host=").append(prefix.address()).append('/').append(prefix.length());
            text.append("\nmtu=").append(mtu).append('\n');
        }
        return text.toString();
    }

    private int serveServices() throws InterruptedException {
        List<AddressPrefix> own = addresses.stream().map(this::own).toList();
        TunSpec device = device();
        try {
            return serve(new LiveStack(LiveStack.config().build(), TunDevice.open(device)), own);
        } catch (DeviceException e) {
            PrintWriter err = spec.commandLine().getErr();
            err.println(spec.qualifiedName() + ": " + e.getMessage());
            return ExitCode.USAGE;
        }
    }

    private TunSpec device() {
        try {
            if (host == null) {
                return TunSpec.attach(tun, !plain);
            }
            AddressPrefix kernel = AddressPrefix.parse(host);
            return TunSpec.create(tun, !plain, kernel.address(), kernel.length(), mtu);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private int serve(LiveStack live, List<AddressPrefix> own)
            throws InterruptedException, DeviceException {
        for (AddressPrefix prefix : own) {
            live.addAddress(prefix.address(), prefix.length());
        }
        for (Service service : services) {
            service.listen(live.stack());
        }
        Thread onExit = new Thread(live::close, "serve-close");
        Runtime.getRuntime().addShutdownHook(onExit);
        live.publish(tun);
        live.start();
        WarmUp.run(live, services, (long) (Math.clamp(warmUp, 0, 60) * 1e9));
        PrintWriter out = spec.commandLine().getOut();
        out.println("ready");
        out.flush();
        live.loop().join();
        Throwable failure = live.loop().failure();
        if (failure instanceof DeviceException gone) {
            throw gone;
        }
        if (failure != null) {
            throw new IllegalStateException("the event loop failed", failure);
        }
        return ExitCode.OK;
    }

    private AddressPrefix own(String text) {
        try {
            return AddressPrefix.parse(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
