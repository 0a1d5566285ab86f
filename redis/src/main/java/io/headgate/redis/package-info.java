/**
 * States in Redis or Valkey, shared by any number of instances.
 *
 * <p>The only place that knows Lettuce. The scripts beside it ({@code *.lua}) run the plan's own
 * arithmetic on the server, by the server's clock: a plan is one step there, and nothing here
 * decides whether a request is allowed.
 */
@NullMarked
package io.headgate.redis;

import org.jspecify.annotations.NullMarked;
