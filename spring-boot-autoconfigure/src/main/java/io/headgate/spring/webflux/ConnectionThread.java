package io.headgate.spring.webflux;

import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.AbstractServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;

/**
 * Finds the thread that serves the connection of a request, so that a response is written by it.
 *
 * <p>Reactor Netty up to 1.3.7 stops reading a connection if a response is written by another
 * thread and the next request is answered while it is dispatched (reactor-netty #4361). A filter
 * that waits for a result would cause the former, and one that denies at once the latter.
 */
final class ConnectionThread {
  private static final boolean REACTOR_NETTY =
      ClassUtils.isPresent("reactor.netty.Connection", ConnectionThread.class.getClassLoader());

  /**
   * Returns a scheduler that runs tasks on the event loop of the connection, never at once; with
   * other servers and in tests without a server, one of Reactor's own threads.
   */
  static Scheduler of(ServerHttpRequest request) {
    var loop = REACTOR_NETTY ? ReactorNetty.loop(request) : null;
    return loop == null ? Schedulers.parallel() : loop;
  }

  /** A class of its own, since Reactor Netty may not be on the class path. */
  private static final class ReactorNetty {
    static @Nullable Scheduler loop(ServerHttpRequest request) {
      var undecorated = request;
      while (undecorated instanceof ServerHttpRequestDecorator decorator) {
        undecorated = decorator.getDelegate();
      }
      try {
        return undecorated instanceof AbstractServerHttpRequest server
                && server.getNativeRequest() instanceof Connection connection
            ? Schedulers.fromExecutor(connection.channel().eventLoop())
            : null;
      } catch (IllegalStateException e) {
        return null; // a mock without a server
      }
    }
  }

  private ConnectionThread() {}
}
