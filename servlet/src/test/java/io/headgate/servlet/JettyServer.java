package io.headgate.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

record JettyServer(Server server, ServerConnector connector) implements ServletServer {
  static ServletServer start(List<Filter> filters, Servlet servlet) throws Exception {
    return start(filters, Map.of("/*", "test"), name -> servlet, settings -> {});
  }

  /**
   * @param names the names of servlets by their mappings
   */
  static ServletServer start(
      List<Filter> filters,
      Map<String, String> names,
      Function<String, Servlet> servlets,
      Consumer<HttpConfiguration> settings)
      throws Exception {
    var server = new Server();
    var configuration = new HttpConfiguration();
    settings.accept(configuration);
    var connector = new ServerConnector(server, new HttpConnectionFactory(configuration));
    connector.setHost("127.0.0.1");
    connector.setPort(0);
    server.addConnector(connector);
    var context = new ServletContextHandler("/");
    for (var filter : filters) {
      var holder = new FilterHolder(filter);
      holder.setAsyncSupported(true);
      context.addFilter(holder, "/*", EnumSet.of(DispatcherType.REQUEST));
    }
    names.forEach((mapping, name) -> {
      var holder = new ServletHolder(name, servlets.apply(name));
      holder.setAsyncSupported(true);
      context.addServlet(holder, mapping);
    });
    server.setHandler(context);
    server.start();
    return new JettyServer(server, connector);
  }

  @Override
  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
