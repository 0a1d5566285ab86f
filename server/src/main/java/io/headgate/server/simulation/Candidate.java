package io.headgate.server.simulation;

import io.headgate.limit.Limit;

/**
 * A limit to simulate.
 *
 * @param name the name to display
 * @param isTuned whether its rate follows the load of a backend, which a simulation has none of
 */
public record Candidate(String name, Limit limit, boolean isTuned) {}
