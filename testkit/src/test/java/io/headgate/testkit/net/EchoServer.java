package io.headgate.testkit.net;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Echoes all input, and records how each connection ended. */
final class EchoServer implements AutoCloseable {
  enum End {
    CLOSED,
    RESET
  }

  private final ServerSocket listener = new ServerSocket(0, 50, FreePorts.loopback());
  private final List<End> ends = new CopyOnWriteArrayList<>();

  EchoServer() throws IOException {
    Thread.ofPlatform().daemon().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  List<End> ends() {
    return ends;
  }

  private void accept() {
    while (true) {
      try {
        var socket = listener.accept();
        Thread.ofPlatform().daemon().start(() -> echo(socket));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void echo(Socket socket) {
    try (socket) {
      socket.getInputStream().transferTo(socket.getOutputStream());
      ends.add(End.CLOSED);
    } catch (IOException e) {
      ends.add(End.RESET);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
