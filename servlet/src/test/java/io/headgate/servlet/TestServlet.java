package io.headgate.servlet;

import io.headgate.testkit.Eventually;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Ends requests in every way, some of them when the test allows it. */
final class TestServlet extends HttpServlet {
  private static final long serialVersionUID = 1;

  static final long TIMEOUT_MILLIS = 100;

  private final AtomicInteger served = new AtomicInteger();
  private final AtomicInteger paused = new AtomicInteger();
  private transient volatile CountDownLatch gate = new CountDownLatch(0);

  int served() {
    return served.get();
  }

  /** Makes requests wait until {@link #proceed}. */
  void pause() {
    paused.set(0);
    gate = new CountDownLatch(1);
  }

  void awaitPaused() {
    Eventually.holds("a request waits", Duration.ofSeconds(20), () -> paused.get() == 1);
  }

  void proceed() {
    gate.countDown();
  }

  private void waitAtGate() {
    paused.incrementAndGet();
    try {
      gate.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    served.incrementAndGet();
    switch (request.getPathInfo()) {
      case "/hold" -> {
        waitAtGate();
        hello(response);
      }
      case "/async" -> inBackground(request.startAsync(), this::complete);
      case "/async-dispatch" -> inBackground(request.startAsync(), c -> c.dispatch("/hello"));
      case "/async-twice" -> inBackground(request.startAsync(), c -> c.dispatch("/async"));
      case "/early-dispatch" -> request.startAsync().dispatch("/hello");
      case "/fail-async" -> {
        if (request.getDispatcherType() == DispatcherType.ASYNC) throw new IOException("failed");
        request.startAsync().dispatch("/fail-async");
      }
      case "/timeout" -> {
        if (request.getDispatcherType() == DispatcherType.REQUEST) {
          request.startAsync().setTimeout(TIMEOUT_MILLIS);
        }
      }
      case "/fail" -> throw new ServletException(new IllegalStateException("failed"));
      case "/unavailable" -> response.setStatus(503);
      default -> hello(response);
    }
  }

  private interface Step {
    void run(AsyncContext context);
  }

  private void inBackground(AsyncContext context, Step step) {
    context.setTimeout(0);
    Thread.startVirtualThread(() -> {
      waitAtGate();
      step.run(context);
    });
  }

  private void complete(AsyncContext context) {
    try {
      hello((HttpServletResponse) context.getResponse());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      context.complete();
    }
  }

  private static void hello(HttpServletResponse response) throws IOException {
    response.setContentType("text/plain");
    response.getWriter().write("hello");
  }
}
