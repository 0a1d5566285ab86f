package io.headgate.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What every change of the rules can be told. */
final class RuleChangeOptions {
  @Option(
      names = "--dry-run",
      description = "Changes nothing; shows what would change, and for whom of the last callers.")
  private boolean dryRun;

  @Option(
      names = {"-m", "--message"},
      paramLabel = "TEXT",
      description = "Why; kept with the revision.")
  private Optional<String> message = Optional.empty();

  @Option(
      names = "--author",
      paramLabel = "NAME",
      description = "Who; kept with the revision. Default: your user name")
  private Optional<String> author = Optional.empty();

  @Option(
      names = "--if-revision",
      paramLabel = "N",
      description = "Only if revision N is still the newest.")
  private Optional<Long> ifRevision = Optional.empty();

  @Option(
      names = {"-y", "--yes"},
      description = "Does not ask before rules are removed.")
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
   * @param revision the one that the change is made for
   */
  Map<String, String> headers(Optional<Long> revision) {
    var headers = new LinkedHashMap<String, String>();
    message.ifPresent(text -> headers.put("X-Headgate-Message", RulesApiClient.encoded(text)));
    String user = System.getProperty("user.name", "");
    String name = author.orElse(user.isBlank() || user.equals("?") ? "unknown" : user);
    headers.put("X-Headgate-Author", RulesApiClient.encoded(name));
    revision.ifPresent(number -> headers.put("If-Match", "\"" + number + "\""));
    return headers;
  }
}
