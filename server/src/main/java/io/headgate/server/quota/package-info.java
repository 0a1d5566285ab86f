/**
 * Quota assignments: permits that a proxy holds to decide requests by itself, and reports later.
 *
 * <p>{@code Assignment} is the arithmetic of one assignment, {@code QuotaSizing} decides how many
 * permits it has. {@code CounterHold} is the hold of this instance at one counter, from which all
 * of its assignments are taken. {@code HoldRequests} requests holds of the store, {@code
 * ShadowUsage} counts requests under shadow rules, and {@code QuotaBook} connects them to the
 * streams of proxies.
 *
 * <p>Must not depend on gRPC, HTTP or Vert.x: {@code io.headgate.server.grpc} maps the protocol.
 */
@NullMarked
package io.headgate.server.quota;

import org.jspecify.annotations.NullMarked;
