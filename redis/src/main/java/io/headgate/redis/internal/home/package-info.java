/**
 * The home of regions behind the HTTP port of another Headgate: the messages, the side that calls
 * ({@link io.headgate.redis.internal.home.HomeServiceClient}) and the side that executes calls on
 * its own Redis ({@link io.headgate.redis.internal.home.HomeRelay}).
 *
 * <p>Does not belong here: HTTP of the service that receives the calls, and what a region does with
 * the replies.
 */
@NullMarked
package io.headgate.redis.internal.home;

import org.jspecify.annotations.NullMarked;
