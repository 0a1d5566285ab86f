package io.headgate.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

record TomcatServer(Tomcat tomcat) implements ServletServer {
  static ServletServer start(List<Filter> filters, Servlet servlet) throws Exception {
    return start(filters, Map.of("/*", "test"), name -> servlet, connector -> {});
  }

  /**
   * @param names the names of servlets by their mappings
   */
  static ServletServer start(
      List<Filter> filters,
      Map<String, String> names,
      Function<String, Servlet> servlets,
      Consumer<Connector> settings)
      throws Exception {
    var tomcat = new Tomcat();
    tomcat.setBaseDir(Path.of("target/tomcat").toAbsolutePath().toString());
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
    tomcat.setSilent(true);
    var connector = tomcat.getConnector();
    connector.setProperty("address", "127.0.0.1");
    var context = tomcat.addContext("", null);
    for (var filter : filters) {
      var definition = new FilterDef();
      definition.setFilterName(filter.getClass().getName());
      definition.setFilter(filter);
      definition.setAsyncSupported("true");
      context.addFilterDef(definition);
      var map = new FilterMap();
      map.setFilterName(definition.getFilterName());
      map.addURLPattern("/*");
      context.addFilterMap(map);
    }
    names.forEach((mapping, name) -> {
      Tomcat.addServlet(context, name, servlets.apply(name)).setAsyncSupported(true);
      context.addServletMappingDecoded(mapping, name);
    });
    settings.accept(connector);
    tomcat.start();
    return new TomcatServer(tomcat);
  }

  @Override
  public int port() {
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public void close() {
    try {
      tomcat.stop();
      tomcat.destroy();
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
  }
}
