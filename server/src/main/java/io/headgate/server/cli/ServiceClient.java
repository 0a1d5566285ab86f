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

/** Sends HTTP requests to a running service. */
final class ServiceClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration RESPONSE_TIMEOUT =
      Duration.ofMinutes(15); // a check may wait in a queue

  /** A successful response: a decision or an explanation. */
  record Answer(int status, String body, JsonReply json) {}

  /** Any response; its body is safe to print. */
  record Reply(int status, String body) {}

  /**
   * Posts JSON.
   *
   * @throws CommandFailure if there is no service, or the response is not a decision or explanation
   */
  Answer post(String url, Optional<String> token, String path, String body) {
    var headers = Map.of("Content-Type", "application/json");
    var reply = send(url, token, "POST", path, headers, BodyPublishers.ofString(body));
    return answer(url, reply.status(), reply.body());
  }

  /**
   * Sends a request and returns the response, whatever its status.
   *
   * @throws CommandFailure if the URL is not valid or there is no response
   */
  Reply send(
      String url,
      Optional<String> token,
      String method,
      String path,
      Map<String, String> headers,
      BodyPublisher body) {
    var request = HttpRequest.newBuilder(address(url, path)).timeout(RESPONSE_TIMEOUT);
    headers.forEach(request::header);
    request.method(method, body);
    token.ifPresent(value -> request.header("Authorization", "Bearer " + value));
    try (var http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build()) {
      var response = http.send(request.build(), BodyHandlers.ofString());
      return new Reply(response.statusCode(), Printable.lines(response.body()));
    } catch (ConnectException | HttpTimeoutException e) {
      throw new CommandFailure(
          "no service answers at %s; start one with ./headgate serve, or name it with --url"
              .formatted(redacted(url)));
    } catch (IOException e) {
      throw new CommandFailure(
          "the connection to %s failed: %s".formatted(redacted(url), e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted while waiting for " + redacted(url));
    }
  }

  /** Returns a URL without user and password. */
  static String redacted(String url) {
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
      // reported below
    }
    throw new CommandFailure(
        "'%s' is not a valid URL; use one such as --url http://127.0.0.1:8080"
            .formatted(redacted(url)));
  }

  private static Answer answer(String url, int status, String body) {
    JsonReply json;
    try {
      json = JsonReply.read(body);
    } catch (IOException e) {
      json = new JsonReply.Nothing();
    }
    if (json.at("allowed").isPresent() || json.at("rules").isPresent()) {
      return new Answer(status, body, json);
    }
    String detail = json.at("detail").text();
    throw new CommandFailure(
        detail.isEmpty()
            ? "%s replied %d, which is not a response of Headgate; check --url"
                .formatted(redacted(url), status)
            : "the service replied %d: %s".formatted(status, detail));
  }
}
