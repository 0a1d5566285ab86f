package io.headgate.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import java.util.List;

/** A servlet container on a free port of the loopback interface. */
interface ServletServer extends AutoCloseable {
  /** Starts a container with filters in this order in front of one servlet. */
  @FunctionalInterface
  interface Starter {
    ServletServer start(List<Filter> filters, Servlet servlet) throws Exception;
  }

  int port();

  @Override
  void close();
}
