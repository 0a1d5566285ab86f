package io.headgate.testkit.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy between a client and a server on 127.0.0.1 that injects network faults. It starts by
 * forwarding everything. Each method changes the behaviour immediately, for open and for new
 * connections. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
  private static final Duration MAX_WAIT = Duration.ofSeconds(20);
  private static final long RETRY_NANOS = 10_000_000;

  private final NetworkConditions up = new NetworkConditions();
  private final NetworkConditions down = new NetworkConditions();
  private final Set<ProxiedConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong accepted = new AtomicLong();
  private final Object listening = new Object();
  private final int target;
  private final int port;
  private @Nullable ServerSocket listener;
  private boolean closed;

  private FaultProxy(int target) throws IOException {
    this.target = target;
    var first = listenOn(0);
    this.port = first.getLocalPort();
    this.listener = first;
    accept(first);
  }

  /** Listens on a port that the system chooses, and forwards to the target port. */
  public static FaultProxy to(int targetPort) {
    try {
      return new FaultProxy(targetPort);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the port on which the proxy listens. */
  public int port() {
    return port;
  }

  /** Returns the number of connections accepted since the start. */
  public long accepted() {
    return accepted.get();
  }

  /** Returns the number of open connections. */
  public int open() {
    return open.size();
  }

  /** Forwards without delay, retained data first. */
  public void pass() {
    change(NetworkConditions.Normal.NORMAL);
  }

  /**
   * Delays every chunk in both directions, so that a round trip takes twice as long. The delay does
   * not limit throughput: chunks sent together arrive together, in order.
   */
  public void delay(Duration oneWay) {
    change(new NetworkConditions.Slow(oneWay));
  }

  /**
   * Stops reading and forwarding, including the end of a connection. Connections stay open and new
   * ones are accepted. Data sent meanwhile is forwarded after the next change.
   */
  public void blackhole() {
    change(NetworkConditions.Blackhole.BLACKHOLE);
  }

  /**
   * Stops reading and forwarding from the server to the client, so that the server executes
   * requests whose replies do not arrive. The other direction is not affected. Replies sent
   * meanwhile are forwarded after the next change.
   */
  public void loseReplies() {
    synchronized (listening) {
      requireOpen();
      down.set(NetworkConditions.Blackhole.BLACKHOLE);
    }
  }

  /** Resets every open connection on both sides. New connections are not affected. */
  public void cut() {
    for (var connection : open) connection.reset();
  }

  /** Closes the port and resets every open connection, until the next change. */
  public void refuse() {
    synchronized (listening) {
      stopListening();
      cut();
    }
  }

  @Override
  public void close() {
    synchronized (listening) {
      closed = true;
      stopListening();
      cut();
    }
  }

  private void change(NetworkConditions.Kind kind) {
    synchronized (listening) {
      requireOpen();
      up.set(kind);
      down.set(kind);
      if (listener == null) startListening();
    }
  }

  private void requireOpen() {
    if (closed) throw new IllegalStateException(this + " is closed; start another");
  }

  private void startListening() {
    long end = System.nanoTime() + MAX_WAIT.toNanos();
    while (listener == null) {
      try {
        var again = listenOn(port);
        listener = again;
        accept(again);
      } catch (IOException e) {
        // While the port was closed, a connection of another process may have been given it.
        if (System.nanoTime() - end > 0) {
          throw new UncheckedIOException("cannot listen on port " + port + " again", e);
        }
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
  }

  private void stopListening() {
    try {
      if (listener != null) listener.close();
      listener = null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ServerSocket listenOn(int port) throws IOException {
    var socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(FreePorts.loopback(), port));
    return socket;
  }

  private void accept(ServerSocket from) {
    ProxiedConnection.thread("accept", port, () -> acceptAll(from));
  }

  private void acceptAll(ServerSocket from) {
    while (true) {
      try {
        connect(from, from.accept());
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void connect(ServerSocket from, Socket client) {
    var connection = new ProxiedConnection(client, target, up, down, open::remove);
    synchronized (listening) {
      if (from.isClosed()) {
        connection.reset();
        return;
      }
      accepted.incrementAndGet();
      open.add(connection);
    }
    connection.start();
  }

  @Override
  public String toString() {
    return "proxy on port %d to port %d".formatted(port, target);
  }
}
