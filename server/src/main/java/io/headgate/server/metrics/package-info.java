/**
 * Metrics for Prometheus.
 *
 * <p>Decisions are counted per event loop without locks ({@code DecisionCounts}), store calls by a
 * listener of the store ({@code StoreMetrics}). The counts are aggregated when metrics are
 * collected ({@code Metrics}). Micrometer provides the metrics of the JVM.
 *
 * <p>The only package that depends on Prometheus and Micrometer. Must not depend on HTTP or
 * options, change or delay a decision, or have a label whose values callers choose.
 */
@NullMarked
package io.headgate.server.metrics;

import org.jspecify.annotations.NullMarked;
