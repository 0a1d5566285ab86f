/**
 * Interceptors that limit gRPC calls: {@link io.headgate.grpc.LimitingServerInterceptor} for
 * servers, {@link io.headgate.grpc.LimitingClientInterceptor} for clients. Both ask a {@link
 * io.headgate.grpc.CallLimiter}, which is a limiter of this process or a Headgate service.
 */
@NullMarked
package io.headgate.grpc;

import org.jspecify.annotations.NullMarked;
