/**
 * The client of a Headgate service. The entry point is {@link io.headgate.client.HeadgateClient}.
 *
 * <p>Contains the HTTP calls, the batching of concurrent checks, the cache of denials, slots and
 * reservations, and the failure mode. Decides nothing by rules: those are at the service.
 */
@NullMarked
package io.headgate.client;

import org.jspecify.annotations.NullMarked;
