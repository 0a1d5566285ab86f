package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.cli.output.Printable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Asks a running service. */
final class ServiceClient {
  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(15); // it may wait in a line

  /** What the service said: a decision or explanation, never a problem. */
  record Answer(int status, String body, JsonReply json) {}

  /** Any reply; its body can be printed. */
  record Reply(int status, String body) {}

  Answer post(String url, Optional<String> token, String path, String body) {
    var headers = Map.of("Content-Type", "application/json");
    var reply = send(url, token, "POST", path, headers, BodyPublishers.ofString(body));
    return answer(url, reply.status(), reply.body());
  }

  Reply send(
      String url,
      Optional<String> token,
      String method,
      String path,
      Map<String, String> headers,
      BodyPublisher body) {
    var request = HttpRequest.newBuilder(address(url, path)).timeout(ANSWER_WITHIN);
    headers.forEach(request::header);
    request.method(method, body);
    token.ifPresent(shown -> request.header("Authorization", "Bearer " + shown));
    try (var http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_WITHIN)
            .build()) {
      var response = http.send(request.build(), BodyHandlers.ofString());
      return new Reply(response.statusCode(), Printable.lines(response.body()));
    } catch (ConnectException | HttpTimeoutException e) {
      throw new CommandFailure(
          "no service answers at %s; start one with ./headgate serve, or name it with --url"
              .formatted(shown(url)));
    } catch (IOException e) {
      throw new CommandFailure("%s broke off: %s".formatted(shown(url), e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted while waiting for " + shown(url));
    }
  }

  /** Without user and password. */
  static String shown(String url) {
    return url.replaceFirst("^([^/]*//)?[^/]*@", "$1");
  }

  private static URI address(String url, String path) {
    try {
      var uri = URI.create(url.replaceFirst("/+$", "") + path);
      if (uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new CommandFailure(
        "'%s' is no address of a service; write --url http://127.0.0.1:8080".formatted(shown(url)));
  }

  private static Answer answer(String url, int status, String body) {
    JsonReply json;
    try {
      json = JsonReply.read(body);
    } catch (IOException e) {
      json = new JsonReply.Nothing();
    }
    if (json.at("allowed").isThere() || json.at("rules").isThere()) {
      return new Answer(status, body, json);
    }
    String detail = json.at("detail").text();
    throw new CommandFailure(
        detail.isEmpty()
            ? "%s answers with status %d, and not as Headgate does; is --url right?"
                .formatted(shown(url), status)
            : "the service says %d: %s".formatted(status, detail));
  }
}
