/**
 * Figures for Prometheus.
 *
 * <p>What happens is counted where it happens: on each event loop for itself ({@code
 * DecisionCounts}), and beside the store ({@code StoreMetrics}). Somebody who asks for the figures
 * pays for putting them together ({@code Metrics}). Micrometer brings those of the JVM.
 *
 * <p>Lives here: everything that knows of Prometheus or Micrometer. May not: HTTP, options; change
 * a decision, or hold it up; a label that callers choose the value of.
 */
@NullMarked
package io.headgate.server.metrics;

import org.jspecify.annotations.NullMarked;
