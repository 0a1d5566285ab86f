/**
 * gRPC on the HTTP port: Envoy's rate limit and quota services, reservations, health and
 * reflection.
 *
 * <p>The descriptors of a call are mapped to subjects ({@code Descriptors}), decided atomically,
 * and mapped to statuses ({@code DescriptorStatuses}). Messages are generated from {@code
 * src/main/protobuf}. Reservations have the operations of the HTTP API ({@code
 * ReservationService}).
 *
 * <p>The reports of a quota stream are mapped to the subjects of their buckets ({@code
 * BucketName}), settled by {@code io.headgate.server.quota}, and its assignments are mapped to
 * messages ({@code QuotaActions}).
 *
 * <p>The only package that depends on gRPC and Envoy's messages. Must not contain decision logic,
 * read files, or depend on the command line.
 */
@NullMarked
package io.headgate.server.grpc;

import org.jspecify.annotations.NullMarked;
