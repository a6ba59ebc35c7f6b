/**
 * The bytes on the wire: headers as reusable flyweights, checksums and the textual segment
 * notation.
 *
 * <p>A header object is wrapped around {@code (segment, start, length)} and checks and parses
 * everything once; accessors then read plain fields. Nothing here allocates per packet and nothing
 * throws on bad bytes: {@code wrap} answers with a {@link dev.sluice.wire.DropReason}, or null for
 * a packet that is fine. The caller guarantees that the given range lies inside the segment. After
 * a refusal the fields of the header are undefined. All {@code …Offset()} accessors that name a
 * place in the packet are absolute addresses in the segment, ready for the next header's {@code
 * wrap}.
 *
 * <p>Addresses are two longs, {@code hi} and {@code lo}, with IPv4 in its IPv6-mapped form, so that
 * one key serves both families ({@link dev.sluice.wire.IpAddress}).
 */
package dev.sluice.wire;
