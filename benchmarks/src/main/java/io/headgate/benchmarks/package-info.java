/** Speed and memory, measured. Nothing depends on it. */
@NullMarked
package io.headgate.benchmarks;

import org.jspecify.annotations.NullMarked;
