package dev.sluice.runtime.nio;

import java.net.DatagramPacket;
import java.net.DatagramSocketImpl;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;

/** What {@code DatagramSocket} wants to have behind it; nothing gets as far as here. */
final class NoDatagrams extends DatagramSocketImpl {
    private static UnsupportedOperationException refused() {
        return new UnsupportedOperationException("the channel does it");
    }

    @Override
    protected void create() {
        throw refused();
    }

    @Override
    protected void bind(int port, InetAddress address) {
        throw refused();
    }

    @Override
    protected void send(DatagramPacket packet) {
        throw refused();
    }

    @Override
    protected int peek(InetAddress address) {
        throw refused();
    }

    @Override
    protected int peekData(DatagramPacket packet) {
        throw refused();
    }

    @Override
    protected void receive(DatagramPacket packet) {
        throw refused();
    }

    @Override
    @SuppressWarnings("removal")
    protected void setTTL(byte ttl) {
        throw refused();
    }

    @Override
    @SuppressWarnings("removal")
    protected byte getTTL() {
        throw refused();
    }

    @Override
    protected void setTimeToLive(int ttl) {
        throw refused();
    }

    @Override
    protected int getTimeToLive() {
        throw refused();
    }

    @Override
    protected void join(InetAddress group) {
        throw refused();
    }

    @Override
    protected void leave(InetAddress group) {
        throw refused();
    }

    @Override
    protected void joinGroup(SocketAddress group, NetworkInterface on) {
        throw refused();
    }

    @Override
    protected void leaveGroup(SocketAddress group, NetworkInterface on) {
        throw refused();
    }

    @Override
    protected void close() {
        // There is nothing to be closed.
    }

    @Override
    public void setOption(int number, Object value) {
        throw refused();
    }

    @Override
    public Object getOption(int number) {
        throw refused();
    }
}
