package io.headgate.server.trial;

import io.headgate.limit.Limit;

/** A limit that is tried, and what to call it. */
public record Entrant(String name, Limit limit) {}
