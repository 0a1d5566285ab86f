package io.headgate.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.JsonReply;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Blocks a caller: adds a rule that denies all of its requests. */
@Command(
    name = "block",
    description = {
      "Blocks a caller: adds a rule that denies all of its requests and ends by itself. An attribute"
          + " ip may be a CIDR block. Needs an admin token if any token is set.",
      "Exits with 0 if the caller is blocked, 1 if the block has no effect since the caller is"
          + " exempt, 2 on errors."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class BlockCommand implements Callable<Integer> {
  private static final Duration LONGEST = Duration.ofDays(3650);
  private static final DateTimeFormatter LOCAL_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private RequestOptions options;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      converter = DurationText.class,
      description = "How long, such as 30m, 1h or 7d. Default: until headgate unblock")
  private Optional<Duration> duration = Optional.empty();

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "The reason; stored with the rule and the revision.")
  private String reason = "";

  @Option(
      names = "--status",
      paramLabel = "N",
      description = "The HTTP status of the denials. Default: 403")
  private Optional<Integer> status = Optional.empty();

  @Option(
      names = "--author",
      paramLabel = "NAME",
      description = "The author; stored with the revision. Default: your user name")
  private Optional<String> author = Optional.empty();

  BlockCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    requireDuration();
    return ServiceReads.of(() -> {
      var patterns = Block.patterns(options.subject());
      var rules = options.service().get(client, "/v1/rules", "rules").json().at("rules").items();
      var blocks = Block.among(rules);
      String id =
          blocks.stream()
              .filter(block -> block.match().equals(patterns))
              .map(Block::id)
              .findFirst()
              .orElseGet(() -> Block.newId(patterns, blocks));
      // Rounded up, since rules have no fractions of seconds.
      var until =
          duration.map(
              time -> Instant.now().plus(time).plusMillis(999).truncatedTo(ChronoUnit.SECONDS));
      var answer = put(id, patterns, until);
      var exemptions = exemptions(rules);
      if (options.json()) context.out().println(answer.body());
      else print(id, until, answer.json());
      if (exemptions.isEmpty()) return Main.OK;
      context
          .err()
          .printf(
              "headgate: the block has no effect: the caller is exempt from all limits by %s; delete"
                  + " or change %s first%n",
              String.join(", ", exemptions), exemptions.size() == 1 ? "this rule" : "these rules");
      return Main.NO;
    });
  }

  private void requireDuration() {
    if (duration.isEmpty()) return;
    if (duration.get().compareTo(Duration.ofSeconds(1)) < 0
        || duration.get().compareTo(LONGEST) > 0) {
      throw new CommandFailure(
          "--for must be 1s to %s; without it the block lasts until headgate unblock"
              .formatted(DurationText.text(LONGEST.toMillis())));
    }
  }

  private ServiceApi.Answer put(String id, Map<String, String> patterns, Optional<Instant> until) {
    String message = "block %s: %s".formatted(options.shownSubject(), reason);
    var headers = RuleChangeOptions.headers(author, Optional.of(message), Optional.empty());
    headers.put("Content-Type", "application/json");
    String body = rule(id, patterns, until);
    return options
        .service()
        .send(
            client,
            "PUT",
            "/v1/rules/" + ServiceApi.encoded(id),
            headers,
            BodyPublishers.ofString(body));
  }

  private String rule(String id, Map<String, String> patterns, Optional<Instant> until) {
    var text = new StringWriter();
    try (var out = new JsonFactory().createGenerator(text)) {
      out.writeStartObject();
      out.writeStringField("id", id);
      out.writeStringField("description", reason);
      out.writeObjectFieldStart("match");
      for (var pattern : patterns.entrySet()) {
        out.writeStringField(pattern.getKey(), pattern.getValue());
      }
      out.writeEndObject();
      out.writeStringField("limit", "deny");
      if (status.isPresent()) out.writeNumberField("status", status.get());
      if (until.isPresent()) {
        out.writeObjectFieldStart("active");
        out.writeStringField("until", LOCAL_TIME.format(until.get()));
        out.writeEndObject();
      }
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** Returns the exempt rules that match the caller. */
  private List<String> exemptions(List<JsonReply> rules) {
    var exempt =
        rules.stream()
            .filter(rule -> rule.at("exempt").isTrue())
            .filter(rule -> List.of("", "enforce").contains(rule.at("mode").text()))
            .map(rule -> rule.at("id").text())
            .collect(Collectors.toSet());
    if (exempt.isEmpty() || options.subject().getOrDefault("ip", "").contains("/")) {
      return List.of(); // a CIDR block is not the address of one caller
    }
    var explained =
        options.post(client, "/v1/explain", JsonRequestBody.of(options.subject(), out -> {}));
    return explained.json().at("rules").items().stream()
        .map(rule -> rule.at("id").text())
        .filter(exempt::contains)
        .toList();
  }

  private void print(String id, Optional<Instant> until, JsonReply answer) {
    String end =
        until
            .map(at ->
                "until %s (%s)".formatted(at, DurationText.text(duration.orElseThrow().toMillis())))
            .orElse("until it is unblocked");
    context
        .out()
        .printf(
            "Blocked %s %s by rule %s, revision %d.%n",
            options.shownSubject(), end, id, answer.at("revision").at("number").number());
    context.out().println(effect(answer.at("appliesTo").text()));
  }

  /**
   * Returns where the block is in effect.
   *
   * @param scope where the service stores its rules; empty if it is a version that does not tell
   */
  private static String effect(String scope) {
    return switch (scope) {
      case "database" ->
          "In effect now on the instance that answered, and within --rules-poll on all that share"
              + " its --database.";
      case "instance" ->
          "In effect now on the instance that answered only, since it stores its own rules;"
              + " instances with one --database postgresql://… share them.";
      default ->
          "In effect now on the instance that answered, and within --rules-poll on others if they"
              + " share its --database.";
    };
  }
}
