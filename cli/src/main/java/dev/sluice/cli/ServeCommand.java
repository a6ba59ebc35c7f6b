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

/** {@code sluice serve}: a few services on a stack that is attached to a TUN device. */
@Command(
        name = "serve",
        description = {
            "Answers on a TUN device until it is interrupted; prints 'ready' when it does.",
            "Services: discard (port 9), source (19), echo (7), http (80: one page of 3,096"
                    + " bytes).",
            "Needs root, or a device that root made for you."
        })
final class ServeCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
            names = "--tun",
            required = true,
            paramLabel = "NAME",
            description = "The TUN device: one that exists, unless --host is given.")
    private String tun;

    @Option(
            names = "--address",
            required = true,
            split = ",",
            paramLabel = "IP[/PREFIX]",
            description = "Addresses to answer to (prefix: 24, for IPv6 64, if not given).")
    private List<String> addresses;

    @Option(
            names = "--services",
            split = ",",
            defaultValue = "discard,source,echo,http",
            paramLabel = "SERVICE",
            description = "What to serve (default: ${DEFAULT-VALUE}).")
    private List<Service> services;

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
    public Integer call() throws InterruptedException {
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
