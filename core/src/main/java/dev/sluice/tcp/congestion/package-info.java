/**
 * The congestion-control seam and its algorithms: RFC 5681, RFC 9438, RFC 9406.
 *
 * <p>A controller sees one {@link dev.sluice.tcp.congestion.CongestionView} and one {@link
 * dev.sluice.tcp.congestion.AckSample}; it never sees a segment or a connection.
 */
package dev.sluice.tcp.congestion;
