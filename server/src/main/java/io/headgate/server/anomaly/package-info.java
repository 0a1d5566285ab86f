/**
 * Detection of anomalies in the statistics of each second, the log of anomalies, and the webhook
 * that reports them.
 */
@NullMarked
package io.headgate.server.anomaly;

import org.jspecify.annotations.NullMarked;
