package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.DiffText;
import io.headgate.server.cli.output.JsonReply;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Changes the rules of a running service and prints the result. Shared by apply, delete and
 * restore.
 *
 * @param source the name of the rule file in messages; empty without one
 */
record RuleChangeRunner(
    CommandContext context,
    ServiceClient client,
    RulesApiClient service,
    RuleChangeOptions options,
    String source) {

  /** The maximum number of affected callers that a dry run prints. */
  private static final int MAX_CALLERS = 20;

  /**
   * Makes the change. On a terminal, shows it and asks for confirmation before rules are removed.
   *
   * @param path the path of the request, without query
   * @return the exit code
   */
  int run(String method, String path, Supplier<BodyPublisher> body) {
    try {
      if (options.dryRun())
        return dryRunResult(send(method, path, true, options.ifRevision(), body));
      // The change is bound to the revision that was shown, so that nothing else is removed.
      boolean confirms = context.terminal().isPresent() && !options.yes() && !service.json();
      if (!confirms)
        return changeResult(send(method, path, false, options.ifRevision(), body), true);
      var plan = send(method, path, true, options.ifRevision(), body);
      var diff = plan.json().at("diff");
      new DiffText(context).print(diff);
      if (diff.at("removed").number() > 0 && !confirmed(diff.at("removed").number())) {
        context.out().println("Nothing was changed.");
        return Main.NO;
      }
      var seen = Optional.of(plan.json().at("revision").at("number").number());
      return changeResult(send(method, path, false, seen, body), false);
    } catch (RulesApiClient.RejectedException e) {
      return rejected(e);
    }
  }

  private RulesApiClient.Answer send(
      String method,
      String path,
      boolean dry,
      Optional<Long> revision,
      Supplier<BodyPublisher> body) {
    var headers = options.headers(revision);
    headers.put("Content-Type", "application/yaml"); // a superset of JSON
    return service.send(client, method, path + (dry ? "?dry-run=true" : ""), headers, body.get());
  }

  private boolean confirmed(long removed) {
    context
        .out()
        .printf("%d rule%s will be removed. Go ahead? [y/N] ", removed, removed == 1 ? "" : "s");
    context.out().flush();
    String answer =
        context.terminal().flatMap(terminal -> terminal.input().get()).orElse("").strip();
    return answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes");
  }

  private int changeResult(RulesApiClient.Answer answer, boolean showsDiff) {
    if (service.json()) {
      context.out().println(answer.body());
      return Main.OK;
    }
    var diff = answer.json().at("diff");
    long number = answer.json().at("revision").at("number").number();
    if (showsDiff) new DiffText(context).print(diff);
    printWarnings(answer.json());
    if (answer.json().at("changed").isTrue()) {
      context.out().printf("Revision %d is in force: %s.%n", number, DiffText.summary(diff));
    } else {
      context.out().printf("Nothing to change: revision %d stays in force.%n", number);
    }
    return Main.OK;
  }

  private int dryRunResult(RulesApiClient.Answer answer) {
    if (service.json()) {
      context.out().println(answer.body());
      return Main.OK;
    }
    var diff = answer.json().at("diff");
    new DiffText(context).print(diff);
    printWarnings(answer.json());
    context
        .out()
        .printf(
            "Dry run, nothing was changed. Against revision %d: %s.%n",
            answer.json().at("revision").at("number").number(), DiffText.summary(diff));
    if (answer.json().at("readOnly").isPresent()) {
      context.out().println("These rules are read-only: " + answer.json().at("readOnly").text());
    }
    printCallers(answer.json().at("callers"));
    return Main.OK;
  }

  private void printWarnings(JsonReply answer) {
    for (var warning : answer.at("warnings").texts()) {
      context.out().println("warning: " + warning);
    }
  }

  private void printCallers(JsonReply callers) {
    long sampled = callers.at("sampled").number();
    long affected = callers.at("affected").number();
    if (sampled == 0) {
      context.out().println("There were no recent requests, so the affected callers are unknown.");
      return;
    }
    context
        .out()
        .printf(
            "Of a sample of %d recent caller%s %d would be affected%s%n",
            sampled, sampled == 1 ? "" : "s", affected, affected == 0 ? "." : ":");
    var text = new DiffText(context);
    int printed = 0;
    for (var caller : callers.at("list").items()) {
      if (printed++ == MAX_CALLERS) break;
      context.out().println("  " + name(caller.at("subject")));
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
        context.out().println("    " + rule.at("id").text() + how + fields);
      }
    }
    if (affected > MAX_CALLERS) context.out().printf("  … and %d more%n", affected - MAX_CALLERS);
  }

  private static String name(JsonReply subject) {
    if (!(subject instanceof JsonReply.Members(var attributes))) return "";
    return attributes.entrySet().stream()
        .map(attribute -> attribute.getKey() + "=" + attribute.getValue().text())
        .collect(Collectors.joining(", "));
  }

  private int rejected(RulesApiClient.RejectedException rejection) {
    if (!rejection.isContentError()) throw rejection.asFailure();
    if (service.json()) {
      context.out().println(rejection.body());
      return Main.NO;
    }
    var problems = rejection.problem().at("problems").items();
    for (var problem : problems) context.out().println(source + ":" + problemText(problem));
    context
        .err()
        .println(
            "headgate: nothing was changed: "
                + (problems.isEmpty() ? rejection.getMessage() : "the rules are not valid"));
    return Main.NO;
  }

  /** Formats a problem as lint does. */
  private static String problemText(JsonReply problem) {
    String field = problem.at("field").text();
    return "%d:%d: %s%s"
        .formatted(
            problem.at("line").number(),
            problem.at("column").number(),
            field.isEmpty() ? "" : field + ": ",
            problem.at("message").text());
  }
}
