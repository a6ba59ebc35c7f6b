/** Capture files: pcapng written, pcapng and pcap read. */
package dev.sluice.doctor.capture;
