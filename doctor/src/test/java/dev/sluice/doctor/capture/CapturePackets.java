package dev.sluice.doctor.capture;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

import java.lang.foreign.ValueLayout;
import java.util.HexFormat;

/** Packets for captures, from their bytes in hexadecimal. */
final class CapturePackets {
    /**
     * SYN from 10.0.0.1:4000 to 10.0.0.2:80 with MSS 1460; IPv4 checksum right, TCP checksum zero.
     */
    static final String SYN =
            "4500002c00640000400666660a0000010a000002"
                    + "0fa0005000000001000000006002ffff00000000020405b4";

    /** IPv6 data segment of 10 bytes without its payload. */
    static final String DATA6 =
            "60000000001e0640"
                    + "fd000000000000000000000000000001"
                    + "fd000000000000000000000000000002"
                    + "0fa0005000000001000000075018ffff00000000";

    private CapturePackets() {}

    static PacketBuffer of(PacketPool pool, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        PacketBuffer packet = pool.acquire(bytes.length);
        packet.window(0, bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            packet.segment().set(ValueLayout.JAVA_BYTE, packet.start() + i, bytes[i]);
        }
        return packet;
    }
}
