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
import org.jspecify.annotations.Nullable;

/**
 * Stands between a client and a server on 127.0.0.1 and makes their network as bad as a test wants,
 * while they talk. Starts by passing everything on; each call below changes that at once, for the
 * connections that are open as for those to come.
 */
public final class FaultProxy implements AutoCloseable {
  private final NetworkConditions weather = new NetworkConditions();
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

  public int port() {
    return port;
  }

  /** How many connections were accepted since the start. */
  public long accepted() {
    return accepted.get();
  }

  /** How many connections are open now. */
  public int open() {
    return open.size();
  }

  /** Forwards at once; what was held back goes first. */
  public void pass() {
    change(NetworkConditions.Fair.FAIR);
  }

  /**
   * Holds every chunk this long, in both directions; so a round trip takes twice as long. Chunks
   * travel side by side, as on a long wire: two sent together arrive together, in order.
   */
  public void delay(Duration oneWay) {
    change(new NetworkConditions.Slow(oneWay));
  }

  /**
   * Forwards nothing, neither bytes nor the end of a connection, and reads nothing; connections
   * stay open and new ones are accepted. What was sent meanwhile arrives when this is over.
   */
  public void blackhole() {
    change(NetworkConditions.Silent.SILENT);
  }

  /** Resets every open connection, on both sides. New ones are treated as before. */
  public void cut() {
    for (var connection : open) connection.reset();
  }

  /** Closes the port and resets every open connection, until {@code pass} or another call. */
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
      if (closed) throw new IllegalStateException(this + " is closed; start another");
      weather.become(kind);
      if (listener == null) startListening();
    }
  }

  private void startListening() {
    try {
      var again = listenOn(port);
      listener = again;
      accept(again);
    } catch (IOException e) {
      throw new UncheckedIOException("port " + port + " can't be opened again", e);
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
        welcome(from, from.accept());
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void welcome(ServerSocket from, Socket client) {
    var connection = new ProxiedConnection(client, target, weather, open::remove);
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
