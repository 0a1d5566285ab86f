/**
 * Load on a running service: sends checks at a rate or as fast as possible, measures their latency,
 * computes how many a limit admits, and prints the figures.
 *
 * <p>Must not contain options or HTTP.
 */
@NullMarked
package io.headgate.server.cli.bench;

import org.jspecify.annotations.NullMarked;
