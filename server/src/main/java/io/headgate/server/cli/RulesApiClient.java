package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.JsonReply;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The client of the rules API, with its command-line options. */
final class RulesApiClient {
  static final Map<String, String> YAML = Map.of("Accept", "application/yaml");

  @Option(
      names = "--url",
      defaultValue = "http://127.0.0.1:8080",
      description = "The URL of the service. Default: ${DEFAULT-VALUE}")
  private String url = "http://127.0.0.1:8080";

  @Option(names = "--token", description = "The admin token. Default: none")
  private Optional<String> token = Optional.empty();

  @Option(names = "--json", description = "Prints the JSON response of the service.")
  private boolean json;

  boolean json() {
    return json;
  }

  /** A successful response; {@code json} is empty for YAML. */
  record Answer(String body, JsonReply json) {}

  /** The service rejected the request and changed nothing. */
  static final class RejectedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String body;
    private final transient JsonReply problem;

    private RejectedException(int status, String body, JsonReply problem) {
      super(problem.at("detail").text(), null, false, false);
      this.status = status;
      this.body = body;
      this.problem = problem;
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
      return new CommandFailure("the service replied %d: %s".formatted(status, getMessage()));
    }
  }

  Answer get(ServiceClient client, String path) {
    return get(client, path, Map.of());
  }

  Answer get(ServiceClient client, String path, Map<String, String> headers) {
    return send(client, "GET", path, headers, BodyPublishers.noBody());
  }

  /**
   * Sends a request.
   *
   * @throws Refused if the service rejects it
   * @throws CommandFailure if there is no service, or it is not Headgate
   */
  Answer send(
      ServiceClient client,
      String method,
      String path,
      Map<String, String> headers,
      BodyPublisher body) {
    var reply = client.send(url, token, method, path, headers, body);
    boolean yaml = headers.equals(YAML);
    if (reply.status() / 100 == 2) {
      if (yaml) return new Answer(reply.body(), new JsonReply.Nothing());
      var json = read(reply.body());
      if (json.isPresent()) return new Answer(reply.body(), json);
    }
    var problem = read(reply.body());
    if (problem.at("detail").text().isEmpty()) {
      throw new CommandFailure(
          "%s replied %d, which is not a response of Headgate; check --url"
              .formatted(ServiceClient.redacted(url), reply.status()));
    }
    throw new RejectedException(reply.status(), reply.body(), problem);
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
