package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandFailure;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options that check and explain share: the service and the subject. */
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

  @Option(
      names = "--url",
      defaultValue = "http://127.0.0.1:8080",
      description = "The URL of the service. Default: ${DEFAULT-VALUE}")
  private String url = "http://127.0.0.1:8080";

  @Option(names = "--token", description = "The token to send. Default: none")
  private Optional<String> token = Optional.empty();

  @Option(names = "--json", description = "Prints the JSON response of the service.")
  private boolean json;

  boolean json() {
    return json;
  }

  Map<String, String> subject() {
    var subject = new LinkedHashMap<String, String>();
    key.ifPresent(value -> subject.put("key", value));
    subject.putAll(attributes);
    if (subject.isEmpty()) {
      throw new CommandFailure("no subject; give a key, such as user:42, or --attr user=42");
    }
    return subject;
  }

  ServiceClient.Answer post(ServiceClient client, String path, String body) {
    return client.post(url, token, path, body);
  }
}
