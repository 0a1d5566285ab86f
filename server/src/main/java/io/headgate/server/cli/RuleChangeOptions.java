package io.headgate.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of all commands that change rules. */
final class RuleChangeOptions {
  @Option(
      names = "--dry-run",
      description = "Changes nothing; shows the changes and the recent callers that they affect.")
  private boolean dryRun;

  @Option(
      names = {"-m", "--message"},
      paramLabel = "TEXT",
      description = "The reason; stored with the revision.")
  private Optional<String> message = Optional.empty();

  @Option(
      names = "--author",
      paramLabel = "NAME",
      description = "The author; stored with the revision. Default: your user name")
  private Optional<String> author = Optional.empty();

  @Option(
      names = "--if-revision",
      paramLabel = "N",
      description = "Changes the rules only if revision N is still the newest.")
  private Optional<Long> ifRevision = Optional.empty();

  @Option(
      names = {"-y", "--yes"},
      description = "Removes rules without confirmation.")
  private boolean yes;

  boolean dryRun() {
    return dryRun;
  }

  boolean yes() {
    return yes;
  }

  Optional<Long> ifRevision() {
    return ifRevision;
  }

  /**
   * Returns the HTTP headers of a change.
   *
   * @param revision the revision that the change requires to be the newest, if any
   */
  Map<String, String> headers(Optional<Long> revision) {
    return headers(author, message, revision);
  }

  /**
   * Returns the HTTP headers of a change.
   *
   * @param author the author; the user of this process if absent
   * @param message the reason, if any
   * @param revision the revision that the change requires to be the newest, if any
   */
  static Map<String, String> headers(
      Optional<String> author, Optional<String> message, Optional<Long> revision) {
    var headers = new LinkedHashMap<String, String>();
    message.ifPresent(text -> headers.put("X-Headgate-Message", ServiceApi.encoded(text)));
    String user = System.getProperty("user.name", "");
    String name = author.orElse(user.isBlank() || user.equals("?") ? "unknown" : user);
    headers.put("X-Headgate-Author", ServiceApi.encoded(name));
    revision.ifPresent(number -> headers.put("If-Match", "\"" + number + "\""));
    return headers;
  }
}
