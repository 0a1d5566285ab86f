/**
 * Measures the accuracy of the consistency modes in virtual time: the real instances over a
 * simulated network and a reference store, with the recorded traffic of the measurements on real
 * processes. The result does not depend on the machine.
 */
@NullMarked
package io.headgate.benchmarks.virtual;

import org.jspecify.annotations.NullMarked;
