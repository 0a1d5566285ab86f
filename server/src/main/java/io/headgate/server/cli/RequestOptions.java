package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandFailure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of commands about one subject: the subject and the service. */
final class RequestOptions {
  @Parameters(
      arity = "0..1",
      paramLabel = "KEY",
      description = "The subject's key, such as user:42.")
  private Optional<String> key = Optional.empty();

  @Option(
      names = "--attr",
      paramLabel = "NAME=VALUE",
      description = "A further attribute, such as path=/login; may be repeated.")
  private Map<String, String> attributes = new LinkedHashMap<>();

  @Mixin private ServiceApi service;

  ServiceApi service() {
    return service;
  }

  boolean json() {
    return service.json();
  }

  /** Returns the key, which is also the attribute {@code key} of the subject. */
  Optional<String> key() {
    return key;
  }

  /**
   * Returns the attributes of the subject.
   *
   * @throws CommandFailure if there are none
   */
  Map<String, String> subject() {
    var subject = new LinkedHashMap<String, String>();
    key.ifPresent(value -> subject.put("key", value));
    subject.putAll(attributes);
    if (subject.isEmpty()) {
      throw new CommandFailure("no subject; give a key, such as user:42, or --attr user=42");
    }
    return subject;
  }

  /** Returns the attributes on one line: {@code key=user:42, path=/login}. */
  String shownSubject() {
    return subject().entrySet().stream()
        .map(attribute -> attribute.getKey() + "=" + attribute.getValue())
        .collect(Collectors.joining(", "));
  }

  /**
   * Posts JSON and returns the decision or explanation.
   *
   * @throws CommandFailure if there is none
   */
  ServiceApi.Answer post(ServiceClient client, String path, String body) {
    return post(client, path, body, Duration.ZERO);
  }

  /**
   * Posts JSON and returns the decision or explanation.
   *
   * @param extra how much longer than {@code --timeout} the response may take
   * @throws CommandFailure if there is none
   */
  ServiceApi.Answer post(ServiceClient client, String path, String body, Duration extra) {
    try {
      return service.post(client, path, body, extra);
    } catch (ServiceApi.RejectedException e) {
      throw e.asFailure();
    }
  }
}
