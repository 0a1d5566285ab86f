package io.headgate.server.cli.bench;

/**
 * The reply to one check, as far as a load counts it.
 *
 * @param source what the decision was based on, such as {@code store}
 */
public record CheckReply(boolean allowed, String source) {}
