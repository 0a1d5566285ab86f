package io.headgate.server.http;

import io.headgate.server.http.simulation.SimulationExecutor;
import io.headgate.server.http.stats.StatsHandlers;
import io.headgate.server.metrics.Metrics;
import io.headgate.server.trace.Tracing;

/** The parts of the API other than decisions; one instance for all event loops. */
public record SharedViews(
    Metrics metrics, StatsHandlers stats, SimulationExecutor simulations, Tracing tracing) {}
