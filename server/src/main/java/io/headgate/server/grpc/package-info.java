/**
 * gRPC, on the port of HTTP: Envoy's rate limit service, health and reflection.
 *
 * <p>A call's descriptors become subjects ({@code Descriptors}), are decided together and become
 * statuses ({@code DescriptorStatuses}). Messages are generated from {@code src/main/protobuf}.
 *
 * <p>Lives here: everything that knows of gRPC or Envoy's messages. May not: decide whether to
 * allow, read files, know of the command line.
 */
@NullMarked
package io.headgate.server.grpc;

import org.jspecify.annotations.NullMarked;
