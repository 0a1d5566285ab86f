package io.headgate.server.http;

import io.headgate.server.metrics.Metrics;

/** What is shown beside decisions; the same for all event loops. */
public record Views(Metrics metrics, Live live, Trials trials) {}
