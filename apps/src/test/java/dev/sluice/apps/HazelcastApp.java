package dev.sluice.apps;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.map.LocalMapStats;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

/**
 * Hazelcast 5.7: a cluster of two members. What the second puts into a map, either of them owns or
 * has a backup of, and the first has all of it when the second has gone.
 */
final class HazelcastApp implements Server, Client {
    private static final String MAP = "replicated";
    private static final int ENTRIES = 2000;

    // A member takes another one for itself that has its port and an address of its machine, and on
    // TUN the peer's address is one of the kernel's.
    private static final int SERVER_PORT = 5701;
    private static final int CLIENT_PORT = 5711;

    @Override
    public Running serve(InetAddress at) {
        HazelcastInstance member = member(at, SERVER_PORT, at.getHostAddress());
        return new Running(
                member.getCluster().getLocalMember().getAddress().getPort(),
                () -> {
                    Http.equal(ENTRIES, member.getMap(MAP).size());
                    member.shutdown();
                });
    }

    private static HazelcastInstance member(InetAddress at, int port, String join) {
        Config config = new Config();
        config.setClusterName("sluice");
        config.setProperty("hazelcast.local.localAddress", at.getHostAddress());
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.shutdownhook.enabled", "false");
        // How long it waits for members that nobody told it of.
        config.setProperty("hazelcast.wait.seconds.before.join", "0");
        config.getNetworkConfig().setPort(port);
        JoinConfig joining = config.getNetworkConfig().getJoin();
        joining.getAutoDetectionConfig().setEnabled(false);
        joining.getMulticastConfig().setEnabled(false);
        joining.getTcpIpConfig().setEnabled(true).addMember(join);
        return Hazelcast.newHazelcastInstance(config);
    }

    @Override
    public void use(InetAddress own, InetSocketAddress server) throws Exception {
        HazelcastInstance member =
                member(own, CLIENT_PORT, server.getHostString() + ":" + server.getPort());
        Http.equal(2, member.getCluster().getMembers().size());
        IMap<Integer, byte[]> map = member.getMap(MAP);
        for (int i = 0; i < ENTRIES; i++) {
            map.set(i, value(i));
        }
        for (int i = 0; i < ENTRIES; i++) {
            Http.equal(true, Arrays.equals(value(i), map.get(i)));
        }
        // With two members and one backup each of them has everything.
        LocalMapStats here = map.getLocalMapStats();
        Http.equal((long) ENTRIES, here.getOwnedEntryCount() + here.getBackupEntryCount());
        member.shutdown();
    }

    private static byte[] value(int i) {
        byte[] value = Content.bytes(1000);
        value[0] = (byte) i;
        value[1] = (byte) (i >> 8);
        return value;
    }
}
