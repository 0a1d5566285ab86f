package io.headgate.examples.llm;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The proxy. Serves {@code POST /v1/chat/completions} on a loopback address, with a virtual thread
 * for each call.
 *
 * <pre>
 *   UPSTREAM=http://127.0.0.1:11434 KEYS=key-of-team-a=a,key-of-team-b=b java … LlmGateway rules.yaml 8081
 * </pre>
 */
public final class LlmGateway implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_REQUEST = 1 << 20;
  private static final String BEARER = "Bearer ";

  private final RateLimiter limiter;
  private final URI upstream;
  private final Map<String, String> teams;
  private final TokenEstimator estimator = TokenEstimator.byBytes();
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  /**
   * Starts a proxy.
   *
   * @param upstream the base URL of the model server
   * @param teams the team of each API key
   * @param port the port to listen on; 0 lets the system choose
   * @throws IOException if it can't listen
   */
  public LlmGateway(RateLimiter limiter, URI upstream, Map<String, String> teams, int port)
      throws IOException {
    this.limiter = limiter;
    this.upstream = upstream;
    this.teams = Map.copyOf(teams);
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext("/v1/chat/completions", this::handle);
    server.start();
  }

  /** Runs a proxy; the arguments are the file of the rules and the port. */
  public static void main(String... args) throws IOException {
    if (args.length != 2 || !args[1].matches("[0-9]{1,5}")) {
      System.err.println("usage: LlmGateway RULES PORT, such as: LlmGateway rules.yaml 8081");
      System.exit(2);
    }
    var keys = new LinkedHashMap<String, String>();
    for (var pair : System.getenv().getOrDefault("KEYS", "").split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) keys.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    var limiter = RateLimiter.inMemory(RuleFile.read(Path.of(args[0])));
    var gateway =
        new LlmGateway(
            limiter,
            URI.create(System.getenv().getOrDefault("UPSTREAM", "http://127.0.0.1:11434")),
            keys,
            Integer.parseInt(args[1]));
    System.out.println("listening on http://127.0.0.1:" + gateway.port() + "/v1");
  }

  /** Returns the port on which the proxy listens. */
  public int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) {
    try (exchange) {
      complete(exchange);
    } catch (IOException | UncheckedIOException e) {
      // The client has gone, or the model has: the connection is closed.
    }
  }

  private void complete(HttpExchange exchange) throws IOException {
    var team = team(exchange);
    if (team.isEmpty()) {
      answerError(exchange, 401, "invalid_api_key", "the API key is missing or unknown");
      return;
    }
    ChatRequest request;
    try {
      request = ChatRequest.parse(exchange.getRequestBody().readNBytes(MAX_REQUEST));
    } catch (IllegalArgumentException e) {
      answerError(exchange, 400, "invalid_request", String.valueOf(e.getMessage()));
      return;
    }
    try (var reservation = limiter.reserve(request(team.get(), request))) {
      if (reservation.isAllowed()) forward(exchange, request, reservation);
      else deny(exchange, reservation);
    }
  }

  private Optional<String> team(HttpExchange exchange) {
    String header = exchange.getRequestHeaders().getFirst("Authorization");
    if (header == null || !header.startsWith(BEARER)) return Optional.empty();
    return Optional.ofNullable(teams.get(header.substring(BEARER.length())));
  }

  private Request request(String team, ChatRequest chat) {
    var attributes = new LinkedHashMap<String, String>();
    attributes.put("team", team);
    attributes.put("model", chat.model());
    chat.user().ifPresent(user -> attributes.put("user", user));
    return new Request(Subject.of(attributes), 1, Map.of("tokens", chat.estimate(estimator)));
  }

  private void forward(HttpExchange exchange, ChatRequest chat, Reservation reservation)
      throws IOException {
    var request =
        HttpRequest.newBuilder(upstream.resolve("/v1/chat/completions"))
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(60))
            .POST(BodyPublishers.ofByteArray(chat.forwarded()))
            .build();
    HttpResponse<InputStream> response;
    try {
      response = client.send(request, BodyHandlers.ofInputStream());
    } catch (IOException e) {
      answerError(exchange, 502, "upstream_unavailable", "the model server does not answer");
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answerError(exchange, 503, "stopping", "the gateway is stopping");
      return;
    }
    long prompt = estimator.tokens(chat.body().get("messages").toString());
    var call = new ChatCall(exchange, reservation, estimator, prompt);
    if (chat.isStreamed() && response.statusCode() == 200) call.forwardStream(response);
    else call.forwardWhole(response);
  }

  private static void deny(HttpExchange exchange, Reservation reservation) throws IOException {
    ModelLimitHeaders.write(reservation.result(), exchange.getResponseHeaders());
    String limits = String.join(", ", reservation.result().violated());
    String when =
        reservation.decision() instanceof Decision.Denied(var retryAfter)
            ? "; try again in " + ModelLimitHeaders.text(retryAfter)
            : "; ask for fewer tokens";
    answerError(exchange, 429, "rate_limit_exceeded", "over the limit " + limits + when);
  }

  private static void answerError(HttpExchange exchange, int status, String code, String message)
      throws IOException {
    var error = JSON.createObjectNode();
    error.putObject("error").put("message", message).put("type", code).put("code", code);
    byte[] body = JSON.writeValueAsBytes(error);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  /** Stops the proxy; calls in progress are cut off. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    client.shutdownNow();
  }
}
