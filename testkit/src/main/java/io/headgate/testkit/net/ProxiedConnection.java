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
 * One client connection and the connection to the server that belongs to it. Each direction reads
 * in one thread and writes in another, so that a delayed chunk does not delay the reading of the
 * next. Uses platform threads, since a test that pins the carriers of virtual threads must not slow
 * the network.
 */
final class ProxiedConnection {
  private static final int CHUNK_BYTES = 16 * 1_024;

  /** Maximum number of chunks in transit per direction; beyond it reading stops. */
  private static final int MAX_QUEUED_CHUNKS = 256;

  /** Bytes with the time they were read; an empty chunk is the end of the stream. */
  private record Chunk(ByteBuffer bytes, long readAtNanos) {
    boolean isEnd() {
      return !bytes.hasRemaining();
    }
  }

  private final Socket client;
  private final int target;
  private final NetworkConditions up;
  private final NetworkConditions down;
  private final Consumer<ProxiedConnection> onEnd;
  private final AtomicInteger directionsLeft = new AtomicInteger(2);

  private final Object lock = new Object();
  private final List<Socket> sockets = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private boolean ended;

  /**
   * Creates the connections of a client.
   *
   * @param up the network from the client to the server
   * @param down the network from the server to the client
   */
  ProxiedConnection(
      Socket client,
      int target,
      NetworkConditions up,
      NetworkConditions down,
      Consumer<ProxiedConnection> onEnd) {
    this.client = client;
    this.target = target;
    this.up = up;
    this.down = down;
    this.onEnd = onEnd;
    sockets.add(client);
  }

  void start() {
    run("connect", this::connect);
  }

  /** Resets both sides. With a linger of 0 the system sends RST, not FIN. */
  void reset() {
    end(true);
  }

  private void connect() throws IOException, InterruptedException {
    up.awaitReadable();
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
    forward(client, server, up, "up");
    forward(server, client, down, "down");
  }

  private void forward(Socket from, Socket to, NetworkConditions conditions, String name) {
    var queue = new ArrayBlockingQueue<Chunk>(MAX_QUEUED_CHUNKS);
    run(name + "-read", () -> read(from, queue, conditions));
    run(name + "-write", () -> write(queue, to, conditions));
  }

  private static void read(Socket from, BlockingQueue<Chunk> queue, NetworkConditions conditions)
      throws IOException, InterruptedException {
    var in = from.getInputStream();
    int length;
    do {
      conditions.awaitReadable();
      var buffer = new byte[CHUNK_BYTES];
      length = Math.max(0, in.read(buffer));
      queue.put(new Chunk(ByteBuffer.wrap(buffer, 0, length), System.nanoTime()));
    } while (length > 0);
  }

  private void write(BlockingQueue<Chunk> queue, Socket to, NetworkConditions conditions)
      throws IOException, InterruptedException {
    var out = to.getOutputStream();
    while (true) {
      var chunk = queue.take();
      conditions.awaitForwardable(chunk.readAtNanos());
      if (chunk.isEnd()) break;
      out.write(chunk.bytes().array(), 0, chunk.bytes().limit());
    }
    to.shutdownOutput();
    if (directionsLeft.decrementAndGet() == 0) end(false);
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  /** Runs work in a new thread; a failure on one side resets both. */
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
      // Closed by the peer at the same time.
    }
  }

  static Thread thread(String name, int port, Runnable work) {
    return Thread.ofPlatform().daemon().name("fault-proxy-" + port + "-" + name).start(work);
  }
}
