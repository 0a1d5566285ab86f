package io.headgate.grpc;

import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.ServerInterceptor;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** A real gRPC server on a port of its own, with a unary method and a stream that stays open. */
final class HealthServer implements AutoCloseable {
  static final HealthCheckRequest REQUEST = HealthCheckRequest.getDefaultInstance();
  static final HealthCheckRequest BROKEN =
      HealthCheckRequest.newBuilder().setService("broken").build();

  final AtomicInteger calls = new AtomicInteger();
  private final io.grpc.Server server;
  private final ManagedChannel channel;

  HealthServer(ServerInterceptor... interceptors) {
    try {
      var builder =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .addService(new Health());
      for (var interceptor : interceptors) builder.intercept(interceptor);
      server = builder.build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
  }

  HealthGrpc.HealthBlockingStub client(ClientInterceptor... interceptors) {
    return HealthGrpc.newBlockingStub(channel).withInterceptors(interceptors);
  }

  Channel channel() {
    return channel;
  }

  private final class Health extends HealthGrpc.HealthImplBase {
    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> out) {
      calls.incrementAndGet();
      if (request.equals(BROKEN)) throw new IllegalStateException("broken, for the test");
      out.onNext(HealthCheckResponse.getDefaultInstance());
      out.onCompleted();
    }

    @Override
    public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> out) {
      calls.incrementAndGet();
      out.onNext(HealthCheckResponse.getDefaultInstance()); // and stays open
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
