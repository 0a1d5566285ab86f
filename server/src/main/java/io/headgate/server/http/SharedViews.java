package io.headgate.server.http;

import io.headgate.server.http.simulation.SimulationExecutor;
import io.headgate.server.http.stats.StatsHandlers;
import io.headgate.server.metrics.Metrics;
import io.headgate.server.trace.Tracing;

/** What is shown beside decisions; the same for all event loops. */
public record SharedViews(
    Metrics metrics, StatsHandlers live, SimulationExecutor trials, Tracing tracing) {}
