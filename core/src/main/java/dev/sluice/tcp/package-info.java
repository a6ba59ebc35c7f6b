/** One connection, one listener and what they are made of: RFC 9293 with the behaviour of Linux. */
package dev.sluice.tcp;
