package io.headgate.server.simulation;

import io.headgate.limit.Limit;

/** A limit to simulate, with a display name. */
public record Candidate(String name, Limit limit) {}
