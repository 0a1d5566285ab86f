package io.headgate.server.simulation;

import io.headgate.limit.Limit;

/** A limit that is tried, and what to call it. */
public record Candidate(String name, Limit limit) {}
