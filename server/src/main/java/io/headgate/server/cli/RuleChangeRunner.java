package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.DiffText;
import io.headgate.server.cli.output.JsonReply;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Makes one change of the rules and says what came of it; the same for apply, delete and restore.
 */
record RuleChangeRunner(
    CommandContext around,
    ServiceClient client,
    RulesApiClient service,
    RuleChangeOptions options,
    String source) {

  /** The callers of a dry run that fit on a screen. */
  private static final int MOST_CALLERS = 20;

  /**
   * @param what how the service is asked, but for its options
   * @return the exit code
   */
  int make(String method, String what, Supplier<BodyPublisher> body) {
    try {
      if (options.dryRun()) return tried(send(method, what, true, options.ifRevision(), body));
      // Somebody who sees what is about to be removed wants that and nothing else removed.
      boolean asks = around.person().isPresent() && !options.yes() && !service.json();
      if (!asks) return made(send(method, what, false, options.ifRevision(), body), true);
      var plan = send(method, what, true, options.ifRevision(), body);
      var diff = plan.json().at("diff");
      new DiffText(around).print(diff);
      if (diff.at("removed").number() > 0 && !agreed(diff.at("removed").number())) {
        around.out().println("Nothing was changed.");
        return Main.NO;
      }
      var seen = Optional.of(plan.json().at("revision").at("number").number());
      return made(send(method, what, false, seen, body), false);
    } catch (RulesApiClient.Refused e) {
      return refused(e);
    }
  }

  private RulesApiClient.Answer send(
      String method,
      String what,
      boolean dry,
      Optional<Long> revision,
      Supplier<BodyPublisher> body) {
    var headers = options.headers(revision);
    headers.put("Content-Type", "application/yaml"); // JSON is a kind of it
    return service.send(client, method, what + (dry ? "?dry-run=true" : ""), headers, body.get());
  }

  private boolean agreed(long removed) {
    around
        .out()
        .printf("%d rule%s will be removed. Go ahead? [y/N] ", removed, removed == 1 ? "" : "s");
    around.out().flush();
    String answer = around.person().flatMap(person -> person.answers().get()).orElse("").strip();
    return answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes");
  }

  private int made(RulesApiClient.Answer answer, boolean showsDiff) {
    if (service.json()) {
      around.out().println(answer.body());
      return Main.OK;
    }
    var diff = answer.json().at("diff");
    long number = answer.json().at("revision").at("number").number();
    if (showsDiff) new DiffText(around).print(diff);
    if (answer.json().at("changed").isTrue()) {
      around.out().printf("Revision %d is in force: %s.%n", number, DiffText.summary(diff));
    } else {
      around.out().printf("Nothing to change: the rules of revision %d stay.%n", number);
    }
    return Main.OK;
  }

  private int tried(RulesApiClient.Answer answer) {
    if (service.json()) {
      around.out().println(answer.body());
      return Main.OK;
    }
    var diff = answer.json().at("diff");
    new DiffText(around).print(diff);
    around
        .out()
        .printf(
            "Dry run, nothing was changed. Against revision %d: %s.%n",
            answer.json().at("revision").at("number").number(), DiffText.summary(diff));
    if (answer.json().at("readOnly").isThere()) {
      around
          .out()
          .println("These rules can't be changed here: " + answer.json().at("readOnly").text());
    }
    printCallers(answer.json().at("callers"));
    return Main.OK;
  }

  private void printCallers(JsonReply callers) {
    long sampled = callers.at("sampled").number();
    long affected = callers.at("affected").number();
    if (sampled == 0) {
      around.out().println("Nobody has asked lately, so there is nobody to try it on.");
      return;
    }
    around
        .out()
        .printf(
            "Of a sample of %d recent caller%s %d would be affected%s%n",
            sampled, sampled == 1 ? "" : "s", affected, affected == 0 ? "." : ":");
    var text = new DiffText(around);
    int shown = 0;
    for (var caller : callers.at("list").items()) {
      if (shown++ == MOST_CALLERS) break;
      around.out().println("  " + name(caller.at("subject")));
      for (var rule : caller.at("rules").items()) {
        String kind = rule.at("change").text();
        String how =
            switch (kind) {
              case "added" -> " applies: ";
              case "removed" -> " no longer applies: ";
              default -> " ";
            };
        String fields =
            rule.at("fields").items().stream()
                .map(field -> text.field(kind, field))
                .collect(Collectors.joining(", "));
        around.out().println("    " + rule.at("id").text() + how + fields);
      }
    }
    if (affected > MOST_CALLERS) around.out().printf("  … and %d more%n", affected - MOST_CALLERS);
  }

  private static String name(JsonReply subject) {
    if (!(subject instanceof JsonReply.Members(var attributes))) return "";
    return attributes.entrySet().stream()
        .map(attribute -> attribute.getKey() + "=" + attribute.getValue().text())
        .collect(Collectors.joining(", "));
  }

  private int refused(RulesApiClient.Refused refusal) {
    if (!refusal.isAboutTheRules()) throw refusal.asFailure();
    if (service.json()) {
      around.out().println(refusal.body());
      return Main.NO;
    }
    var problems = refusal.problem().at("problems").items();
    for (var problem : problems) around.out().println(source + ":" + flaw(problem));
    around
        .err()
        .println(
            "headgate: nothing was changed: "
                + (problems.isEmpty() ? refusal.getMessage() : "the rules are not valid"));
    return Main.NO;
  }

  /** As lint has it. */
  private static String flaw(JsonReply problem) {
    String field = problem.at("field").text();
    return "%d:%d: %s%s"
        .formatted(
            problem.at("line").number(),
            problem.at("column").number(),
            field.isEmpty() ? "" : field + ": ",
            problem.at("message").text());
  }
}
