/**
 * Counters and histograms of checks by second. No threads and no clocks, except for the monotonic
 * clock itself.
 */
@NullMarked
package io.headgate.server.counts;

import org.jspecify.annotations.NullMarked;
