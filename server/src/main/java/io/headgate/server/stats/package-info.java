/**
 * Live statistics: event loops count decisions, a collector adds them up once a second and
 * publishes a snapshot.
 */
@NullMarked
package io.headgate.server.stats;

import org.jspecify.annotations.NullMarked;
