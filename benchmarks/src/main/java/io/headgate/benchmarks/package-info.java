/**
 * Speed and memory, measured. Nothing depends on it.
 *
 * <p>Start at {@link io.headgate.benchmarks.Main}, which runs the comparisons and prints them as
 * one document. Lives here: what is measured and how it is told. May not: anything that the product
 * needs.
 */
@NullMarked
package io.headgate.benchmarks;

import org.jspecify.annotations.NullMarked;
