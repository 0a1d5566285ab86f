/** Shared test support: store contracts, clocks, polling, fuzzing. Never used in production. */
@NullMarked
package io.headgate.testkit;

import org.jspecify.annotations.NullMarked;
