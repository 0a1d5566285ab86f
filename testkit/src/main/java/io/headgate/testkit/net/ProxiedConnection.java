package io.headgate.testkit.net;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One client, the connection to the server made for it, and two directions. Each direction reads in
 * one thread and writes in another, so that a delayed chunk does not hold up the reading of the
 * next. Plain threads: a test that pins the carriers of virtual ones must not slow its network.
 */
final class ProxiedConnection {
  private static final int CHUNK_BYTES = 16 * 1_024;

  /** How much may be on the way in each direction; then the sender has to wait. */
  private static final int CHUNKS_ON_THE_WAY = 256;

  /** Bytes and when they came; none means the end. */
  private record Chunk(ByteBuffer bytes, long readAtNanos) {
    boolean isEnd() {
      return !bytes.hasRemaining();
    }
  }

  private final Socket client;
  private final int target;
  private final NetworkConditions weather;
  private final Consumer<ProxiedConnection> onEnd;
  private final AtomicInteger directionsLeft = new AtomicInteger(2);

  private final Object lock = new Object();
  private final List<Socket> sockets = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private boolean ended;

  ProxiedConnection(
      Socket client, int target, NetworkConditions weather, Consumer<ProxiedConnection> onEnd) {
    this.client = client;
    this.target = target;
    this.weather = weather;
    this.onEnd = onEnd;
    sockets.add(client);
  }

  void start() {
    run("connect", this::connect);
  }

  /** With a linger of 0 the system sends RST, not FIN. */
  void reset() {
    end(true);
  }

  private void connect() throws IOException, InterruptedException {
    weather.awaitSound();
    var server = new Socket(FreePorts.loopback(), target);
    synchronized (lock) {
      sockets.add(server);
      if (ended) {
        close(server, true);
        return;
      }
    }
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    join(client, server, "up");
    join(server, client, "down");
  }

  private void join(Socket from, Socket to, String name) {
    var onTheWay = new ArrayBlockingQueue<Chunk>(CHUNKS_ON_THE_WAY);
    run(name + "-read", () -> read(from, onTheWay));
    run(name + "-write", () -> write(onTheWay, to));
  }

  private void read(Socket from, BlockingQueue<Chunk> onTheWay)
      throws IOException, InterruptedException {
    var in = from.getInputStream();
    int length;
    do {
      weather.awaitSound();
      var buffer = new byte[CHUNK_BYTES];
      length = Math.max(0, in.read(buffer));
      onTheWay.put(new Chunk(ByteBuffer.wrap(buffer, 0, length), System.nanoTime()));
    } while (length > 0);
  }

  private void write(BlockingQueue<Chunk> onTheWay, Socket to)
      throws IOException, InterruptedException {
    var out = to.getOutputStream();
    while (true) {
      var chunk = onTheWay.take();
      weather.awaitPassage(chunk.readAtNanos());
      if (chunk.isEnd()) break;
      out.write(chunk.bytes().array(), 0, chunk.bytes().limit());
    }
    to.shutdownOutput();
    if (directionsLeft.decrementAndGet() == 0) end(false);
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  /** Whatever goes wrong on one side is a reset for both. */
  private void run(String name, Work work) {
    synchronized (lock) {
      if (ended) return;
      threads.add(
          thread(
              name,
              client.getLocalPort(),
              () -> {
                try {
                  work.run();
                } catch (IOException | InterruptedException e) {
                  reset();
                }
              }));
    }
  }

  private void end(boolean abruptly) {
    synchronized (lock) {
      if (ended) return;
      ended = true;
      for (var socket : sockets) close(socket, abruptly);
      for (var thread : threads) thread.interrupt();
    }
    onEnd.accept(this);
  }

  private static void close(Socket socket, boolean abruptly) {
    try (socket) {
      if (abruptly) socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // closed by the other side at the same time
    }
  }

  static Thread thread(String name, int port, Runnable work) {
    return Thread.ofPlatform().daemon().name("fault-proxy-" + port + "-" + name).start(work);
  }
}
