/**
 * Benchmarks of speed, memory and accuracy. No other module depends on it.
 *
 * <p>Start at {@link io.headgate.benchmarks.BenchmarkRunner}, which runs the comparisons and writes
 * one report. The package contains the measurements and their reports, and no code that the product
 * needs.
 */
@NullMarked
package io.headgate.benchmarks;

import org.jspecify.annotations.NullMarked;
