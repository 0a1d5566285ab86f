package io.headgate.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.http.AmbiguousPathException;
import io.headgate.http.PathReadings;
import io.headgate.http.PathReadings.Parameters;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.testkit.net.PathSpellings;
import io.headgate.testkit.net.RawHttp;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.junit.jupiter.api.Test;

/**
 * Sends many spellings of paths to servlets behind the filter in real containers: the rule that
 * applies is always that of the servlet which is reached. In their lenient settings, the containers
 * accept what they refuse otherwise.
 */
class PathDifferentialTest {
  private static final int TARGETS = 500;

  private static final String RULES =
      """
      rules:
        - { id: login, match: { path: /login }, limit: { algorithm: fixed-window, rate: 1000000/1d } }
        - { id: health, match: { path: /health }, limit: { algorithm: fixed-window, rate: 1000000/1d } }
        - { id: api, match: { path: [/api, "/api/*"] }, per: [], limit: { algorithm: fixed-window, rate: 1000000/1d } }
      """;

  /** The names of servlets by their mappings. */
  static final Map<String, String> SERVLETS =
      Map.of("/login", "login", "/health", "health", "/api/*", "api", "/", "other");

  /** Names itself in a header. */
  static final class NamedServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final String name;

    NamedServlet(String name) {
      this.name = name;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      response.setHeader("X-Servlet", name);
    }
  }

  @FunctionalInterface
  private interface Start {
    ServletServer start(HeadgateFilter filter) throws Exception;
  }

  private static void assertSameRouting(String name, Start start) throws Exception {
    var wrong = new ArrayList<String>();
    var reached = new TreeMap<String, Integer>();
    try (var limiter = RateLimiter.inMemory(RuleSet.of(RuleFile.read(RULES)));
        var server = start.start(HeadgateFilter.of(limiter))) {
      for (var target : PathSpellings.of(name, TARGETS)) {
        var reply = RawHttp.get(server.port(), target);
        String servlet = reply.header("X-Servlet");
        if (servlet.isEmpty()) continue;
        reached.merge(servlet, 1, Integer::sum);
        String limited = limitedBy(reply);
        if (!limited.equals(servlet))
          wrong.add(target + " reaches " + servlet + ", limited as " + limited);
        if (!isReadingOfUnknownServer(target, servlet))
          wrong.add(target + " as " + servlet + " is no reading");
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(reached).containsOnlyKeys("api", "health", "login", "other");
    assertThat(reached.values()).allMatch(count -> count > 1, "is reached by several spellings");
  }

  private static String limitedBy(RawHttp.Reply reply) {
    String policy = reply.header("RateLimit-Policy");
    return policy.isEmpty() ? "other" : policy.substring(1, policy.indexOf('"', 1));
  }

  /** The service knows nothing of the container, so the container's reading is one of many. */
  private static boolean isReadingOfUnknownServer(String target, String servlet)
      throws IOException {
    try {
      return PathReadings.of(target, Parameters.UNKNOWN).stream()
          .anyMatch(path -> servletOf(path).equals(servlet));
    } catch (AmbiguousPathException e) {
      return true; // refused
    }
  }

  private static String servletOf(String path) {
    if (path.equals("/login") || path.equals("/health")) return path.substring(1);
    return path.equals("/api") || path.startsWith("/api/") ? "api" : "other";
  }

  private static ServletServer tomcat(HeadgateFilter filter, Consumer<Connector> settings)
      throws Exception {
    return TomcatServer.start(List.of(filter), SERVLETS, NamedServlet::new, settings);
  }

  private static ServletServer jetty(HeadgateFilter filter, Consumer<HttpConfiguration> settings)
      throws Exception {
    return JettyServer.start(List.of(filter), SERVLETS, NamedServlet::new, settings);
  }

  @Test
  void ruleIsThatOfTheServletInTomcat() throws Exception {
    assertSameRouting("tomcat", filter -> tomcat(filter, connector -> {}));
  }

  @Test
  void ruleIsThatOfTheServletInATomcatThatDecodesSlashes() throws Exception {
    assertSameRouting(
        "tomcat-decode",
        filter ->
            tomcat(
                filter,
                connector -> {
                  connector.setEncodedSolidusHandling(EncodedSolidusHandling.DECODE.getValue());
                  connector.setProperty("allowBackslash", "true");
                  connector.setProperty("relaxedPathChars", "\"<>[\\]^`{|}");
                }));
  }

  @Test
  void ruleIsThatOfTheServletInATomcatThatKeepsEncodedSlashes() throws Exception {
    assertSameRouting(
        "tomcat-pass",
        filter ->
            tomcat(
                filter,
                connector ->
                    connector.setEncodedSolidusHandling(
                        EncodedSolidusHandling.PASS_THROUGH.getValue())));
  }

  @Test
  void ruleIsThatOfTheServletInJetty() throws Exception {
    assertSameRouting("jetty", filter -> jetty(filter, settings -> {}));
  }

  @Test
  void ruleIsThatOfTheServletInAJettyThatAcceptsAmbiguousPaths() throws Exception {
    assertSameRouting(
        "jetty-unsafe",
        filter -> jetty(filter, settings -> settings.setUriCompliance(UriCompliance.UNSAFE)));
  }
}
