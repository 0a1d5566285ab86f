/**
 * Compares the reports of two commits that were measured in turns. Start with {@link
 * io.headgate.benchmarks.compare.ReportComparison}; {@code benchmarks/compare} measures and calls
 * it.
 *
 * <p>Nothing is measured here: the input is the Markdown that {@link
 * io.headgate.benchmarks.BenchmarkRunner} wrote.
 */
@NullMarked
package io.headgate.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
