package io.headgate.server.cli.output;

import io.headgate.server.store.LayoutCounts;
import java.util.Locale;
import java.util.Optional;

/** Prints the state of a service: its health and, if permitted, its statistics. */
public record StatusText(CommandContext context) {
  /** Returns whether the service is ready, and its store and its database are available. */
  public static boolean isWell(JsonReply health) {
    return health.at("status").text().equals("ready")
        && !health.at("store").at("unavailable").isTrue()
        && !health.at("repository").at("unavailable").isTrue();
  }

  /**
   * Prints the state.
   *
   * @param url the URL of the service, without secrets
   * @param health the response of the readiness endpoint
   * @param stats the response of the statistics endpoint, if the token permits it
   */
  public void print(String url, JsonReply health, Optional<JsonReply> stats) {
    String status = health.at("status").text();
    String shown = status.equals("ready") ? context.good(status) : context.bad(status);
    String version = stats.map(all -> " " + all.at("version").text()).orElse("");
    String since = stats.map(StatusText::uptime).orElse("");
    context.out().println("Headgate%s at %s: %s%s".formatted(version, url, shown, since));
    row("store", store(health.at("store"), stats.map(all -> all.at("store"))));
    stats.ifPresent(all -> printOutage(all.at("store")));
    row("rules", rules(health, stats.map(all -> all.at("rules"))));
    health.at("repository").at("problem").optionalText().ifPresent(this::printProblem);
    health
        .at("repository")
        .at("ignoredFile")
        .optionalText()
        .ifPresent(why -> row("rule file", context.warning(why)));
    stats.ifPresent(this::printStats);
  }

  private void printProblem(String problem) {
    row("database", context.bad("unavailable") + ": " + problem);
  }

  private static String uptime(JsonReply stats) {
    long millis = Math.max(0, stats.at("now").number() - stats.at("startedAt").number());
    return ", up " + DurationText.text(millis / 1_000 * 1_000);
  }

  private String store(JsonReply health, Optional<JsonReply> stats) {
    var details = stats.orElseGet(JsonReply.Nothing::new);
    String kind = details.at("address").optionalText().orElse(health.at("kind").text());
    if (!health.at("unavailable").isTrue()) {
      var keys = details.at("trackedKeys");
      return keys.isPresent() ? kind + ", " + count(keys.number(), "counter") : kind;
    }
    var text = new StringBuilder(kind).append(": ").append(context.bad("unavailable"));
    if (details.at("since").isPresent()) {
      text.append(" since ").append(Timestamps.text(details.at("since").number() * 1_000));
    }
    details
        .at("breaker")
        .optionalText()
        .ifPresent(breaker -> text.append(", circuit breaker ").append(breaker));
    health.at("problem").optionalText().ifPresent(problem -> text.append("; ").append(problem));
    return text.toString();
  }

  /** Prints what decides while the store is unavailable. */
  private void printOutage(JsonReply store) {
    if (!store.at("unavailable").isTrue()) return;
    for (var policy : store.at("failurePolicies").items()) {
      row(
          "",
          "on-store-failure %s: %s (%s)"
              .formatted(
                  policy.at("policy").text(),
                  count(policy.at("count").number(), "rule"),
                  String.join(", ", policy.at("rules").texts())));
    }
    if (store.at("decidedByPolicy").number() > 0) {
      row(
          "",
          count(store.at("decidedByPolicy").number(), "request") + " decided by these policies");
    }
  }

  private String rules(JsonReply health, Optional<JsonReply> stats) {
    var repository = health.at("repository");
    var text = new StringBuilder().append(health.at("rules").number());
    if (stats.filter(all -> all.at("source").text().equals("examples")).isPresent()) {
      text.append(" examples");
    }
    text.append(", revision ").append(repository.at("revision").number());
    repository.at("source").optionalText().ifPresent(source -> text.append(", in ").append(source));
    if (repository.at("readOnly").isTrue()) text.append(", read-only");
    return text.toString();
  }

  private void printStats(JsonReply stats) {
    row("instances", instances(stats));
    var rates = stats.at("rates");
    row(
        "decisions",
        "%s allowed, %s denied".formatted(perSecond(rates, "allowed"), perSecond(rates, "denied")));
    if (rates.at("degraded").decimal() > 0) {
      row("", context.warning(perSecond(rates, "degraded") + " decided without the store"));
    }
    var check = stats.at("latency").at("check");
    if (check.at("p50").isPresent()) {
      row("latency", "p50 %s, p99 %s".formatted(millis(check.at("p50")), millis(check.at("p99"))));
    }
    var quotas = stats.at("quotas");
    if (quotas.isPresent()) printQuotas(quotas);
    stats.at("anomalies").items().stream()
        .filter(anomaly -> !anomaly.at("until").isPresent())
        .forEach(open -> row("anomaly", context.warning(open.at("text").text())));
  }

  private String instances(JsonReply stats) {
    String count = Long.toString(stats.at("instances").number());
    var layouts = layouts(stats);
    return layouts.isMixed()
        ? count + ", " + context.warning("with different layouts of keys: " + layouts.text())
        : count;
  }

  /** Returns the layouts of instances; zeros if the service does not report them. */
  public static LayoutCounts layouts(JsonReply stats) {
    var layouts = stats.at("store").at("layouts");
    return layouts.isPresent()
        ? new LayoutCounts(layouts.at("separate").number(), layouts.at("compact").number())
        : new LayoutCounts(0, 0);
  }

  /** Prints the assignments of proxies, and the requests that they have reported by rule. */
  private void printQuotas(JsonReply quotas) {
    row(
        "quotas",
        "%s, %s, %s assigned"
            .formatted(
                count(quotas.at("streams").number(), "stream"),
                count(quotas.at("buckets").number(), "bucket"),
                count(quotas.at("assigned").number(), "permit")));
    for (var rule : quotas.at("rules").items()) {
      var text =
          new StringBuilder(
              String.format(
                  Locale.ROOT,
                  "%s: %,d assigned; reported %,d allowed, %,d denied",
                  rule.at("rule").text(),
                  rule.at("assigned").number(),
                  rule.at("reportedAllowed").number(),
                  rule.at("reportedDenied").number()));
      long wouldDeny = rule.at("wouldDeny").number();
      if (wouldDeny > 0)
        text.append(String.format(Locale.ROOT, ", %,d would be denied", wouldDeny));
      row("", text.toString());
    }
    long expired = quotas.at("expired").number();
    if (expired > 0) row("", context.warning(count(expired, "permit") + " expired unreported"));
  }

  private static String perSecond(JsonReply rates, String name) {
    return String.format(Locale.ROOT, "%.1f/s", rates.at(name).decimal());
  }

  private static String millis(JsonReply micros) {
    return String.format(Locale.ROOT, "%.2f ms", micros.decimal() / 1_000);
  }

  private static String count(long number, String what) {
    if (number == 1) return "1 " + what;
    return String.format(Locale.ROOT, "%,d %ss", number, what);
  }

  private void row(String name, String text) {
    context.out().println("  %-9s  %s".formatted(name, text));
  }
}
