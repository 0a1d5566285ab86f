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

/** Which service's rules it is about, and how it is asked for them. */
final class RulesApiClient {
  static final Map<String, String> YAML = Map.of("Accept", "application/yaml");

  @Option(
      names = "--url",
      defaultValue = "http://127.0.0.1:8080",
      description = "Where the service is. Default: ${DEFAULT-VALUE}")
  private String url = "http://127.0.0.1:8080";

  @Option(names = "--token", description = "The admin token. Default: none")
  private Optional<String> token = Optional.empty();

  @Option(names = "--json", description = "Prints the service's answer as it came.")
  private boolean json;

  boolean json() {
    return json;
  }

  /** What the service said, where it did what it was asked. */
  record Answer(String body, JsonReply json) {}

  /** The service refuses; nothing has changed. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String body;
    private final transient JsonReply problem;

    private Refused(int status, String body, JsonReply problem) {
      super(problem.at("detail").text(), null, false, false);
      this.status = status;
      this.body = body;
      this.problem = problem;
    }

    /** Whether it is for what was asked, rather than for who asked or how the service is. */
    boolean isAboutTheRules() {
      return status == 400 || status == 404 || status == 409 || status == 413;
    }

    String body() {
      return body;
    }

    JsonReply problem() {
      return problem;
    }

    CommandFailure asFailure() {
      return new CommandFailure("the service says %d: %s".formatted(status, getMessage()));
    }
  }

  Answer get(ServiceClient client, String path) {
    return get(client, path, Map.of());
  }

  Answer get(ServiceClient client, String path, Map<String, String> headers) {
    return send(client, "GET", path, headers, BodyPublishers.noBody());
  }

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
      if (json.isThere()) return new Answer(reply.body(), json);
    }
    var problem = read(reply.body());
    if (problem.at("detail").text().isEmpty()) {
      throw new CommandFailure(
          "%s answers with status %d, and not as Headgate does; is --url right?"
              .formatted(ServiceClient.shown(url), reply.status()));
    }
    throw new Refused(reply.status(), reply.body(), problem);
  }

  private static JsonReply read(String body) {
    try {
      return JsonReply.read(body);
    } catch (IOException e) {
      return new JsonReply.Nothing();
    }
  }

  /** As a part of a path, a value in a query, or a header. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
