package io.headgate.rulefile;

import io.headgate.limit.Shed;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads and writes {@code shed} of a rule: when requests are dropped, and which of them first. */
final class ShedReader {
  static final String FIELD = "shed";
  static final String SIGNAL = "signal";
  static final String TARGET = "target";
  private static final String PRIORITY = "priority";
  private static final String BY = "by";
  private static final String ORDER = "order";
  private static final String GUARANTEE = "guarantee";
  private static final String CALLERS = "callers";
  private static final String SHARES = "guarantees";

  private record Priorities(String by, List<String> order) {}

  /** Reads the value of the field; empty if it is invalid, which is then among the problems. */
  static Optional<Shed> read(FieldValue value) {
    return value
        .section("a map such as { signal: utilization, target: 0.8 }")
        .flatMap(ShedReader::read)
        .map(Shed::new);
  }

  private static Optional<ShedPolicy> read(MappingReader section) {
    int before = section.self().problems().count();
    section.allowOnly(List.of(SIGNAL, TARGET, PRIORITY, GUARANTEE, CALLERS));
    var signal = signal(section);
    var target = signal.flatMap(known -> target(section, known));
    var priorities =
        section
            .find(PRIORITY)
            .flatMap(value ->
                value.section("a map such as { by: priority, order: [critical, normal, bulk] }"))
            .flatMap(ShedReader::priorities)
            .orElse(new Priorities("", List.of()));
    var guarantee = guarantee(section, priorities);
    var callers = section.find(CALLERS).map(MatchReader::per).orElse(List.of());
    if (target.isEmpty() || section.self().problems().count() != before) return Optional.empty();
    return section
        .findOrSelf(section.has(GUARANTEE) ? GUARANTEE : TARGET)
        .attempt(() ->
            new ShedPolicy(
                signal.orElseThrow(),
                target.get(),
                priorities.by,
                priorities.order,
                guarantee,
                callers));
  }

  static Optional<SignalKind> signal(MappingReader section) {
    if (!section.has(SIGNAL)) {
      section.missing(SIGNAL, "give " + EnumNames.wanted(SignalKind.class));
    }
    return section.choose(SIGNAL, SignalKind.class);
  }

  static Optional<Double> target(MappingReader section, SignalKind signal) {
    String wanted =
        signal.isShare()
            ? "a share above 0 and below 1 such as 0.8 or 80%"
            : "a duration such as 250ms";
    return section.require(
        TARGET,
        wanted,
        text -> {
          double target =
              signal.isShare()
                  ? ShareSyntax.permille("targets", text) / (double) ShedPolicy.WHOLE
                  : DurationSyntax.parse(text).toNanos() / 1e6;
          if (!(target > 0) || (signal.isShare() && target >= 1)) {
            throw new IllegalArgumentException(
                "must be %s, got %s".formatted(wanted, Excerpt.of(text)));
          }
          return target;
        });
  }

  private static Optional<Priorities> priorities(MappingReader section) {
    section.allowOnly(List.of(BY, ORDER));
    var by = section.require(BY, "the attribute with the priority", MatchReader::attribute);
    if (!section.has(ORDER)) {
      section.missing(ORDER, "give the priorities, the most important first");
    }
    var order = new ArrayList<String>();
    section
        .find(ORDER)
        .flatMap(value -> value.items("a list of priorities, the most important first"))
        .ifPresent(items -> {
          for (var item : items) {
            item.read("a priority such as critical", text -> text)
                .filter(text -> isNew(item, order, text))
                .ifPresent(order::add);
          }
        });
    if (section.has(ORDER) && order.isEmpty()) {
      section.problem(ORDER, "is empty; give the priorities, the most important first");
      return Optional.empty();
    }
    return by.map(attribute -> new Priorities(attribute, List.copyOf(order)));
  }

  private static boolean isNew(FieldValue item, List<String> order, String text) {
    if (!order.contains(text)) return true;
    item.problem("'%s' is given twice; remove one".formatted(text));
    return false;
  }

  private static Map<String, Integer> guarantee(MappingReader section, Priorities priorities) {
    var shares = new TreeMap<String, Integer>();
    section
        .find(GUARANTEE)
        .flatMap(value -> value.section("a map such as { critical: 20% }"))
        .ifPresent(map -> {
          for (var name : map.names()) {
            if (!priorities.order.contains(name)) {
              map.rejectUnknown(name, priorities.order);
              continue;
            }
            map.read(name, "a share such as 20%", text -> ShareSyntax.permille(SHARES, text))
                .ifPresent(share -> shares.put(name, share));
          }
        });
    return shares;
  }

  static OutputNode write(ShedPolicy policy) {
    Map<String, OutputNode> fields = new LinkedHashMap<>();
    fields.put(SIGNAL, new OutputNode.Text(EnumNames.text(policy.signal())));
    fields.put(TARGET, target(policy));
    if (!policy.order().isEmpty()) {
      var priority = new LinkedHashMap<String, OutputNode>();
      priority.put(BY, new OutputNode.Text(policy.priorityBy()));
      priority.put(ORDER, texts(policy.order()));
      fields.put(PRIORITY, new OutputNode.Fields(priority));
    }
    if (!policy.guarantee().isEmpty()) {
      var shares = new LinkedHashMap<String, OutputNode>();
      for (var name : policy.order()) {
        var share = policy.guarantee().get(name);
        if (share != null) shares.put(name, new OutputNode.Text(ShareSyntax.percent(share)));
      }
      fields.put(GUARANTEE, new OutputNode.Fields(shares));
    }
    if (!policy.callers().isEmpty()) fields.put(CALLERS, texts(policy.callers()));
    return new OutputNode.Fields(fields);
  }

  static OutputNode target(ShedPolicy policy) {
    if (!policy.signal().isShare()) {
      var time = Duration.ofNanos(Math.round(policy.target() * 1e6));
      return new OutputNode.Text(DurationSyntax.text(time));
    }
    int permille = (int) Math.round(policy.target() * ShedPolicy.WHOLE);
    if (permille / (double) ShedPolicy.WHOLE != policy.target()) {
      throw new IllegalArgumentException(
          "target %s is finer than 0.001".formatted(policy.target()));
    }
    return new OutputNode.Literal(ShareSyntax.fraction(permille));
  }

  private static OutputNode texts(List<String> values) {
    var texts = new ArrayList<OutputNode>();
    for (var value : values) texts.add(new OutputNode.Text(value));
    return new OutputNode.Items(texts);
  }

  private ShedReader() {}
}
