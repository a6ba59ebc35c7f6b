/**
 * Small servers that run on the thread of an event loop: discard, character generator, echo and a
 * page over HTTP.
 */
package dev.sluice.runtime.service;
