package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.JsonReply;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The HTTP API of a running service, with the options that select the service. */
final class ServiceApi {
  static final Map<String, String> YAML = Map.of("Accept", "application/yaml");
  private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");

  private static final String DEFAULT_URL = "http://127.0.0.1:8080";

  @Option(
      names = "--url",
      defaultValue = DEFAULT_URL,
      description = "The URL of the service. Default: ${DEFAULT-VALUE}")
  private String url = DEFAULT_URL;

  @Option(
      names = "--token",
      description =
          "The token to send. Prefer HEADGATE_TOKEN: other users can see the arguments of a"
              + " process. Default: none")
  private Optional<String> token = Optional.empty();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "30s",
      converter = DurationText.class,
      description = "How long the service may take to respond. Default: ${DEFAULT-VALUE}")
  private Duration timeout = Duration.ofSeconds(30);

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description =
          "CA certificates (PEM) to trust for https instead of the system's. Default: none")
  private Optional<Path> ca = Optional.empty();

  @Option(names = "--json", description = "Prints the JSON response of the service.")
  private boolean json;

  boolean json() {
    return json;
  }

  /** Returns whether the URL names this port, of whatever host. */
  boolean hasPort(int port) {
    try {
      return URI.create(url).getPort() == port;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Replaces the URL if it is the default. */
  void useDefaultUrl(String other) {
    if (url.equals(DEFAULT_URL)) url = other;
  }

  /** Returns the URL without user and password. */
  String shownUrl() {
    return target().shownUrl();
  }

  private ServiceClient.Target target() {
    if (timeout.isZero()) throw new CommandFailure("--timeout must be at least 1ms");
    return new ServiceClient.Target(url, token, timeout, ca);
  }

  /** A response that is not an error; {@code json} is empty for YAML and without a body. */
  record Answer(int status, String body, JsonReply json) {}

  /** The service rejected the request and changed nothing. */
  static final class RejectedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String body;
    private final transient JsonReply problem;

    private RejectedException(
        ServiceClient.Reply reply, JsonReply problem, ServiceClient.Target target) {
      super(ProblemText.of(reply.status(), problem, target), null, false, false);
      this.status = reply.status();
      this.body = reply.body();
      this.problem = problem;
    }

    int status() {
      return status;
    }

    /** Returns whether the request was rejected for its content, not its token or an outage. */
    boolean isContentError() {
      return status == 400 || status == 404 || status == 412 || status == 413;
    }

    String body() {
      return body;
    }

    JsonReply problem() {
      return problem;
    }

    CommandFailure asFailure() {
      return new CommandFailure(String.valueOf(getMessage()));
    }
  }

  /**
   * Gets a JSON object.
   *
   * @param member a member that the object must have, which tells Headgate from other servers
   * @throws RejectedException if the service rejects the request
   * @throws CommandFailure if there is no service, or it is not Headgate
   */
  Answer get(ServiceClient client, String path, String member) {
    var answer = send(client, "GET", path, Map.of(), BodyPublishers.noBody());
    if (!answer.json().at(member).isPresent()) throw foreign(target(), answer.status());
    return answer;
  }

  /** Gets text in the format that the headers accept. */
  Answer get(ServiceClient client, String path, Map<String, String> headers) {
    return send(client, "GET", path, headers, BodyPublishers.noBody());
  }

  /**
   * Sends a request.
   *
   * @throws RejectedException if the service rejects it
   * @throws CommandFailure if there is no service, or it is not Headgate
   */
  Answer send(
      ServiceClient client,
      String method,
      String path,
      Map<String, String> headers,
      BodyPublisher body) {
    var target = target();
    var reply = client.send(target, method, path, headers, body);
    if (reply.status() == 204) return new Answer(204, "", new JsonReply.Nothing());
    if (reply.status() / 100 == 2) {
      if (headers.equals(YAML))
        return new Answer(reply.status(), reply.body(), new JsonReply.Nothing());
      var json = read(reply.body());
      if (json.isPresent()) return new Answer(reply.status(), reply.body(), json);
    }
    throw problem(target, reply, read(reply.body()));
  }

  /**
   * Posts JSON and returns the response: a decision, whether it allows or denies, or an
   * explanation.
   *
   * @param extra how much longer than {@code --timeout} the response may take
   * @throws RejectedException if the service rejects the request
   * @throws CommandFailure if there is no service, or it is not Headgate
   */
  Answer post(ServiceClient client, String path, String body, Duration extra) {
    var target = new ServiceClient.Target(url, token, target().timeout().plus(extra), ca);
    var reply = client.send(target, "POST", path, JSON, BodyPublishers.ofString(body));
    var json = read(reply.body());
    if (json.at("allowed").isPresent() || json.at("rules").isPresent()) {
      return new Answer(reply.status(), reply.body(), json);
    }
    throw problem(target, reply, json);
  }

  /**
   * Gets the health of the service, which needs no token.
   *
   * @throws CommandFailure if there is no service, or it is not Headgate
   */
  Answer health(ServiceClient client) {
    var reply = client.send(target(), "GET", "/health/ready", Map.of(), BodyPublishers.noBody());
    var json = read(reply.body());
    if (json.at("store").isPresent() && json.at("repository").isPresent()) {
      return new Answer(reply.status(), reply.body(), json);
    }
    throw problem(target(), reply, json);
  }

  private static RuntimeException problem(
      ServiceClient.Target target, ServiceClient.Reply reply, JsonReply problem) {
    return problem.at("detail").text().isEmpty()
        ? foreign(target, reply.status())
        : new RejectedException(reply, problem, target);
  }

  private static CommandFailure foreign(ServiceClient.Target target, int status) {
    return new CommandFailure(
        "%s replied %d, which is not a response of Headgate; check --url"
            .formatted(target.shownUrl(), status));
  }

  private static JsonReply read(String body) {
    try {
      return JsonReply.read(body);
    } catch (IOException e) {
      return new JsonReply.Nothing();
    }
  }

  /** Percent-encodes text for a path, a query or a header. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
