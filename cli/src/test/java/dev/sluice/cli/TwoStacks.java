package dev.sluice.cli;

import dev.sluice.runtime.LiveStack;
import dev.sluice.runtime.device.Cable;
import dev.sluice.runtime.device.CableSpec;
import dev.sluice.runtime.device.Device;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.wire.IpAddress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A process with two live stacks and a connection between them, until its input ends. */
final class TwoStacks {
    private TwoStacks() {}

    /** Prints {@code ready} once everything is there. */
    public static void main(String[] args) throws IOException, DeviceException {
        Cable cable = Cable.open(CableSpec.named("two"));
        try (LiveStack left = stack("left", cable.first(), "10.8.3.1");
                LiveStack right = stack("right", cable.second(), "10.8.3.2");
                ServerSocket listener =
                        left.serverSocketFactory()
                                .createServerSocket(80, 5, InetAddress.getByName("10.8.3.1"));
                Socket client = right.socketFactory().createSocket("10.8.3.1", 80);
                Socket server = listener.accept()) {
            client.getOutputStream().write(1);
            server.getInputStream().read();
            System.out.println("ready");
            System.in.read();
        }
    }

    private static LiveStack stack(String name, Device device, String address)
            throws DeviceException {
        LiveStack stack = new LiveStack(LiveStack.config().build(), device);
        stack.addAddress(IpAddress.parse(address).address(), 24);
        stack.publish(name);
        stack.start();
        return stack;
    }
}
