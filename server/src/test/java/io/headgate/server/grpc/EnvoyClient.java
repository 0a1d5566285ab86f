package io.headgate.server.grpc;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Calls the service as Envoy does, with classes generated from Envoy's own protobuf files. */
final class EnvoyClient implements AutoCloseable {
  /** Exceeds the duration of any call, so that reaching it means there is no response. */
  private static final long PATIENCE_SECONDS = 30;

  private final ManagedChannel channel;

  private EnvoyClient(ManagedChannel channel) {
    this.channel = channel;
  }

  static EnvoyClient of(int port) {
    return new EnvoyClient(
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build());
  }

  static EnvoyClient over(ManagedChannel channel) {
    return new EnvoyClient(channel);
  }

  ManagedChannel channel() {
    return channel;
  }

  RateLimitServiceGrpc.RateLimitServiceBlockingStub stub() {
    return RateLimitServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  RateLimitServiceGrpc.RateLimitServiceBlockingStub stub(String authorization) {
    var metadata = new Metadata();
    metadata.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), authorization);
    return stub().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
  }

  RateLimitResponse ask(String domain, RateLimitDescriptor... descriptors) {
    return stub().shouldRateLimit(request(domain, descriptors));
  }

  static RateLimitRequest request(String domain, RateLimitDescriptor... descriptors) {
    return RateLimitRequest.newBuilder()
        .setDomain(domain)
        .addAllDescriptors(List.of(descriptors))
        .build();
  }

  /** A descriptor of entries: key, value, key, value … */
  static RateLimitDescriptor descriptor(String... entries) {
    var descriptor = RateLimitDescriptor.newBuilder();
    for (int i = 0; i < entries.length; i += 2) {
      descriptor.addEntriesBuilder().setKey(entries[i]).setValue(entries[i + 1]);
    }
    return descriptor.build();
  }

  static List<Code> codes(RateLimitResponse response) {
    return response.getStatusesList().stream().map(status -> status.getCode()).toList();
  }

  static Map<String, String> headers(RateLimitResponse response) {
    return response.getResponseHeadersToAddList().stream()
        .collect(
            Collectors.toMap(
                header -> header.getKey(),
                header -> header.getValue(),
                (one, other) -> one + other,
                LinkedHashMap::new));
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
