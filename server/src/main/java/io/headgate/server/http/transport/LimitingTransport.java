package io.headgate.server.http.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;
import java.util.concurrent.ThreadFactory;

/**
 * A Vert.x transport that limits connections from the moment they are accepted; see {@link
 * FirstRequestTimeout}. Delegates to the native transport of the operating system, or to NIO if
 * there is none.
 */
public final class LimitingTransport implements io.vertx.core.transport.Transport, Transport {
  private static final int MIN_READ_BYTES = 64;
  private static final int INITIAL_READ_BYTES = 2 * 1024;

  /**
   * The bytes that are read of a connection before those of the next one. Netty's default is 1 MB,
   * and an HTTP/2 request takes 13 bytes or more: the requests of one connection would delay those
   * of all others for seconds.
   */
  private static final int MAX_READ_BYTES = 4 * 1024;

  private final io.vertx.core.transport.Transport delegate;
  private final Transport base;
  private final ConnectionLimiter limiter;

  private LimitingTransport(io.vertx.core.transport.Transport delegate, ConnectionLimiter limiter) {
    this.delegate = delegate;
    this.base = delegate.implementation();
    this.limiter = limiter;
  }

  /** Returns a transport over the native one if it is available, otherwise over NIO. */
  public static LimitingTransport best(ConnectionLimiter limiter) {
    var system = io.vertx.core.transport.Transport.nativeTransport();
    boolean usable = system != null && system.available();
    return new LimitingTransport(usable ? system : io.vertx.core.transport.Transport.NIO, limiter);
  }

  /** Returns whether the native transport is used. */
  public boolean isNative() {
    return !delegate.equals(io.vertx.core.transport.Transport.NIO);
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap server) {
    base.configure(options, domainSocket, server);
    server.childOption(
        ChannelOption.RECVBUF_ALLOCATOR,
        new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, INITIAL_READ_BYTES, MAX_READ_BYTES)
            .maxMessagesPerRead(1));
    server.handler(new FirstRequestTimeout.AcceptHandler(limiter));
  }

  @Override
  public String name() {
    return delegate.name();
  }

  @Override
  public boolean available() {
    return delegate.available();
  }

  @Override
  public Transport implementation() {
    return this;
  }

  @Override
  public boolean supportsDomainSockets() {
    return base.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return base.supportFileRegion();
  }

  @Override
  public boolean isAvailable() {
    return base.isAvailable();
  }

  @Override
  public Throwable unavailabilityCause() {
    return base.unavailabilityCause();
  }

  @Override
  public java.net.SocketAddress convert(SocketAddress address) {
    return base.convert(address);
  }

  @Override
  public SocketAddress convert(java.net.SocketAddress address) {
    return base.convert(address);
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return base.ioHandlerFactory();
  }

  @Override
  public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ratio) {
    return base.eventLoopGroup(type, threads, factory, ratio);
  }

  @Override
  public DatagramChannel datagramChannel() {
    return base.datagramChannel();
  }

  @Override
  @SuppressWarnings("deprecation") // required by the interface
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return base.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return base.channelFactory(domainSocket);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return base.serverChannelFactory(domainSocket);
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    base.configure(channel, options);
  }

  @Override
  public void configure(
      ClientOptionsBase options, int timeout, boolean domainSocket, Bootstrap client) {
    base.configure(options, timeout, domainSocket, client);
  }
}
