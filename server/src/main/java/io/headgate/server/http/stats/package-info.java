/** The endpoints for live statistics, callers, anomalies and metrics. */
@NullMarked
package io.headgate.server.http.stats;

import org.jspecify.annotations.NullMarked;
