package io.headgate.rulefile;

import io.headgate.rule.Combine;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Match;
import io.headgate.rule.Pattern;
import io.headgate.rule.Rule;
import io.headgate.rule.Schedule;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts a rule to an {@link OutputNode}. Fields with their default values are left out. */
final class RuleWriter {
  /**
   * Converts a rule.
   *
   * @throws IllegalArgumentException if a file cannot express the rule
   */
  static OutputNode.Fields write(Rule rule) {
    try {
      return new OutputNode.Fields(fields(rule));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "rule '%s' can't be written: %s".formatted(rule.id(), e.getMessage()), e);
    }
  }

  private static Map<String, OutputNode> fields(Rule rule) {
    var plain = Rule.named(rule.id()).exempt().build();
    var fields = new LinkedHashMap<String, OutputNode>();
    fields.put("id", new OutputNode.Text(rule.id()));
    if (!rule.description().isEmpty())
      fields.put("description", new OutputNode.Text(rule.description()));
    if (!rule.match().equals(plain.match())) fields.put("match", match(rule.match()));
    rule.per().ifPresent(per -> fields.put("per", LimitWriter.per(per)));
    if (rule.exempt()) fields.put("exempt", new OutputNode.Literal("true"));
    else limits(rule, fields);
    if (rule.fallback()) fields.put("fallback", new OutputNode.Literal("true"));
    if (rule.mode() != plain.mode())
      fields.put("mode", new OutputNode.Text(EnumNames.text(rule.mode())));
    if (rule.consistency() != plain.consistency()) {
      fields.put("consistency", new OutputNode.Text(EnumNames.text(rule.consistency())));
    }
    if (!rule.onStoreFailure().equals(plain.onStoreFailure())) {
      fields.put("on-store-failure", onStoreFailure(rule.onStoreFailure()));
    }
    if (!rule.reservation().equals(plain.reservation())) {
      fields.put(ReservationReader.FIELD, ReservationReader.write(rule.reservation()));
    }
    RegionReader.write(rule, fields);
    properties(rule, fields);
    if (!rule.active().equals(plain.active())) fields.put("active", active(rule.active()));
    return fields;
  }

  private static void properties(Rule rule, Map<String, OutputNode> fields) {
    for (var name : rule.properties().keySet()) {
      if (!name.equals(RuleStatus.PROPERTY)) {
        throw new IllegalArgumentException(
            "property '%s' has no field in a rule file".formatted(name));
      }
    }
    String property = rule.properties().get(RuleStatus.PROPERTY);
    if (property == null) return;
    int status = RuleStatus.parse(rule.id(), property);
    // 429 is the default of every limit but deny and shed.
    if (rule.denies() || rule.sheds() || status != RuleStatus.TOO_MANY_REQUESTS) {
      fields.put("status", new OutputNode.Literal(Integer.toString(status)));
    }
  }

  private static void limits(Rule rule, Map<String, OutputNode> fields) {
    boolean several =
        rule.limits().size() > 1
            || rule.overrides().stream().anyMatch(override -> override.limits().size() > 1);
    var combine = several ? rule.combine() : new Combine.All();
    if (!(combine instanceof Combine.All)) {
      fields.put("combine", new OutputNode.Text(CombineNames.text(combine)));
    }
    if (combine instanceof Combine.Weighted(int permille)
        && permille != CombineNames.DEFAULT_PERMILLE) {
      fields.put("threshold", new OutputNode.Literal(ShareSyntax.fraction(permille)));
    }
    var writer = new LimitWriter(combine);
    writer.write(rule.limits(), rule.id(), fields);
    if (rule.overrides().isEmpty()) return;
    String single = rule.limits().size() == 1 ? rule.limits().getFirst().name() : rule.id();
    var overrides = new ArrayList<OutputNode>();
    for (var override : rule.overrides()) {
      var own = new LinkedHashMap<String, OutputNode>();
      own.put("match", match(override.match()));
      writer.write(override.limits(), single, own);
      overrides.add(new OutputNode.Fields(own));
    }
    fields.put("overrides", new OutputNode.Items(overrides));
  }

  private static OutputNode match(Match match) {
    var fields = new LinkedHashMap<String, OutputNode>();
    match
        .conditions()
        .forEach((attribute, pattern) -> {
          MatchReader.attribute(attribute);
          fields.put(attribute, condition(attribute, pattern));
        });
    return new OutputNode.Fields(fields);
  }

  private static OutputNode condition(String attribute, Pattern pattern) {
    return switch (pattern) {
      case Pattern.Except except -> new OutputNode.Fields(exception(attribute, except));
      case Pattern.OrAbsent(var present) -> {
        var fields = new LinkedHashMap<String, OutputNode>();
        if (present instanceof Pattern.Except except) fields.putAll(exception(attribute, except));
        else fields.put(MatchReader.IS, patterns(attribute, present));
        fields.put(MatchReader.OR, new OutputNode.Text(MatchReader.ABSENT));
        yield new OutputNode.Fields(fields);
      }
      case Pattern.Absent absent ->
          new OutputNode.Fields(Map.of(MatchReader.ABSENT, new OutputNode.Literal("true")));
      case Pattern.Exactly exactly -> patterns(attribute, exactly);
      case Pattern.Glob glob -> patterns(attribute, glob);
      case Pattern.Cidr block -> patterns(attribute, block);
      case Pattern.AnyOf anyOf -> patterns(attribute, anyOf);
    };
  }

  private static Map<String, OutputNode> exception(String attribute, Pattern.Except except) {
    var fields = new LinkedHashMap<String, OutputNode>();
    if (!except.pattern().equals(Pattern.parse(attribute, "*"))) {
      fields.put(MatchReader.IS, patterns(attribute, except.pattern()));
    }
    fields.put(MatchReader.EXCEPT, patterns(attribute, except.excluded()));
    return fields;
  }

  private static OutputNode patterns(String attribute, Pattern pattern) {
    var texts = new ArrayList<OutputNode.Text>();
    patterns(attribute, pattern, texts);
    return texts.size() == 1 ? texts.getFirst() : new OutputNode.Items(texts);
  }

  private static void patterns(String attribute, Pattern pattern, List<OutputNode.Text> texts) {
    if (pattern instanceof Pattern.AnyOf(var alternatives)) {
      for (var alternative : alternatives) patterns(attribute, alternative, texts);
      return;
    }
    if (!Pattern.parse(attribute, pattern.text()).equals(pattern)) {
      throw new IllegalArgumentException(
          "match.%s: '%s' would be read as another pattern".formatted(attribute, pattern.text()));
    }
    texts.add(new OutputNode.Text(pattern.text()));
  }

  private static OutputNode onStoreFailure(FailurePolicy policy) {
    return switch (policy) {
      case FailurePolicy.Allow allow -> new OutputNode.Text("allow");
      case FailurePolicy.Deny deny -> new OutputNode.Text("deny");
      case FailurePolicy.Local local -> new OutputNode.Text("local");
      case FailurePolicy.AllowThenDeny(var grace) ->
          new OutputNode.Fields(
              Map.of("allow-then-deny", new OutputNode.Text(DurationSyntax.text(grace))));
    };
  }

  private static OutputNode active(Schedule active) {
    var fields = new LinkedHashMap<String, OutputNode>();
    if (!active.days().equals(Schedule.ALWAYS.days())) {
      fields.put("days", new OutputNode.Text(WeekdayNames.text(active.days())));
    }
    active
        .hours()
        .ifPresent(
            hours -> fields.put("hours", new OutputNode.Text(hours.from() + "-" + hours.to())));
    if (!active.zone().equals(Schedule.ALWAYS.zone())) {
      fields.put("zone", new OutputNode.Text(active.zone().getId()));
    }
    active.from().ifPresent(from -> fields.put("from", moment(from)));
    active.until().ifPresent(until -> fields.put("until", moment(until)));
    return new OutputNode.Fields(fields);
  }

  private static OutputNode moment(LocalDateTime moment) {
    boolean midnight = moment.toLocalTime().equals(LocalTime.MIDNIGHT);
    return new OutputNode.Text((midnight ? moment.toLocalDate() : moment).toString());
  }

  private RuleWriter() {}
}
