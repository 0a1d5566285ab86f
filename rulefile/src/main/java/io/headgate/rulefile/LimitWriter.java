package io.headgate.rulefile;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.LeakyBucket.Queue;
import io.headgate.limit.Limit;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.Shed;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlidingWindow.Bound;
import io.headgate.limit.Stateless;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.rule.Combine;
import io.headgate.rule.RuleLimit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the limits of a rule or override.
 *
 * @param combine determines which of weight, priority and scope are written
 */
record LimitWriter(Combine combine) {
  /**
   * Adds one limit as a single field, or a list for several limits or if the limit has a weight,
   * priority or scope.
   *
   * @param name the default name of a single limit, which is not written
   */
  void write(List<RuleLimit> limits, String name, Map<String, OutputNode> fields) {
    if (limits.getFirst().limit() instanceof Shed shed) {
      fields.put(ShedReader.FIELD, ShedReader.write(shed.policy()));
      return;
    }
    if (limits.getFirst().limit() instanceof Stateless word) {
      fields.put("limit", new OutputNode.Text(word.algorithm().id()));
      return;
    }
    if (limits.size() == 1 && combineFields(limits.getFirst()).isEmpty()) {
      fields.put("limit", new OutputNode.Fields(limit(limits.getFirst(), name)));
      return;
    }
    var items = new ArrayList<OutputNode>();
    for (var limit : limits) {
      var item = limit(limit, "");
      item.putAll(combineFields(limit));
      items.add(new OutputNode.Fields(item));
    }
    fields.put("limits", new OutputNode.Items(items));
  }

  /** Returns the value of {@code per}, without duplicates. */
  static OutputNode per(List<String> attributes) {
    var texts = new ArrayList<OutputNode>();
    for (var name : attributes) {
      var text = new OutputNode.Text(MatchReader.attribute(name));
      if (!texts.contains(text)) texts.add(text);
    }
    return new OutputNode.Items(texts);
  }

  /** Returns a short description, such as {@code token-bucket rate 100/1m burst 200}. */
  static String summary(Limit limit) {
    var fields = new LinkedHashMap<String, OutputNode>();
    parameters(limit, fields);
    var text = new StringBuilder(limit.algorithm().id());
    fields.forEach((name, value) ->
        text.append(' ')
            .append(name)
            .append(' ')
            .append(
                switch (value) {
                  case OutputNode.Text(var words) -> words;
                  case OutputNode.Literal(var number) -> number;
                  case OutputNode.Items items -> JsonPrinter.of(items);
                  case OutputNode.Fields map -> JsonPrinter.of(map);
                }));
    return text.toString();
  }

  private static Map<String, OutputNode> limit(RuleLimit limit, String name) {
    var fields = new LinkedHashMap<String, OutputNode>();
    if (!limit.name().equals(name)) fields.put("name", new OutputNode.Text(limit.name()));
    fields.put("algorithm", new OutputNode.Text(limit.limit().algorithm().id()));
    parameters(limit.limit(), fields);
    limit.tuning().ifPresent(own -> fields.put(TuningReader.FIELD, TuningReader.write(own)));
    limit
        .cost()
        .ifPresent(cost -> fields.put("cost", new OutputNode.Text(LimitsReader.cost(cost))));
    if (limit.isCostRequired()) {
      fields.put(LimitsReader.REQUIRED, new OutputNode.Literal("true"));
    }
    limit.per().ifPresent(per -> fields.put("per", per(per)));
    return fields;
  }

  /**
   * Returns the fields that have an effect only among several limits: weight, priority or scope.
   */
  private Map<String, OutputNode> combineFields(RuleLimit limit) {
    var fields = new LinkedHashMap<String, OutputNode>();
    switch (combine) {
      case Combine.Weighted weighted -> {
        if (limit.weight() != 1) fields.put("weight", number(limit.weight()));
      }
      case Combine.Priority priority -> {
        if (limit.priority() != 0) fields.put("priority", number(limit.priority()));
      }
      case Combine.Hierarchical hierarchical ->
          limit
              .scope()
              .ifPresent(scope -> fields.put("scope", new OutputNode.Text(EnumNames.text(scope))));
      case Combine.All all -> {}
      case Combine.Any any -> {}
    }
    return fields;
  }

  private static void parameters(Limit limit, Map<String, OutputNode> fields) {
    switch (limit) {
      case TokenBucket bucket -> {
        fields.put("rate", new OutputNode.Text(RateSyntax.text(bucket.rate())));
        if (bucket.burst() != bucket.rate().permits()) fields.put("burst", number(bucket.burst()));
      }
      case FairShare fair -> {
        parameters(fair.bucket(), fields);
        fields.put(FairSharingReader.FIELD, FairSharingReader.write(fair.sharing()));
      }
      case LeakyBucket bucket -> {
        fields.put("rate", new OutputNode.Text(RateSyntax.text(bucket.rate())));
        switch (bucket.queue()) {
          case Queue.None none -> {}
          case Queue.Length length -> fields.put("queue", number(length.requests()));
          case Queue.Wait wait ->
              fields.put("max-wait", new OutputNode.Text(DurationSyntax.text(wait.max())));
        }
      }
      case FixedWindow window -> {
        fields.put("rate", new OutputNode.Text(RateSyntax.text(window)));
        if (window.alignment() instanceof Window.Calendar calendar) {
          fields.put("align", new OutputNode.Text("calendar"));
          if (!calendar.zone().equals(TimeZones.UTC)) {
            fields.put("zone", new OutputNode.Text(calendar.zone().getId()));
          }
        }
      }
      case SlidingWindow window -> {
        fields.put("rate", new OutputNode.Text(RateSyntax.text(window.rate())));
        if (window.buckets() != SlidingWindow.DEFAULT_BUCKETS) {
          fields.put("buckets", number(window.buckets()));
        }
        if (window.bound() != Bound.INTERPOLATED) {
          fields.put("bound", new OutputNode.Text(EnumNames.text(window.bound())));
        }
      }
      case RollingWindow window -> {
        fields.put("rate", new OutputNode.Text(RateSyntax.text(window.rate())));
        if (!window.minInterval().isZero()) {
          fields.put(
              "min-interval", new OutputNode.Text(DurationSyntax.text(window.minInterval())));
        }
      }
      case Concurrency slots -> {
        fields.put("max", number(slots.max()));
        if (!slots.lease().equals(Concurrency.DEFAULT_LEASE)) {
          fields.put("lease", new OutputNode.Text(DurationSyntax.text(slots.lease())));
        }
      }
      case AdaptiveConcurrency slots -> {
        if (slots.min() != AdaptiveConcurrency.DEFAULT_MIN) {
          fields.put("min", number(slots.min()));
        }
        fields.put("max", number(slots.max()));
        if (slots.initial() != AdaptiveConcurrency.defaultInitial(slots.min(), slots.max())) {
          fields.put("initial", number(slots.initial()));
        }
        if (!slots.lease().equals(Concurrency.DEFAULT_LEASE)) {
          fields.put("lease", new OutputNode.Text(DurationSyntax.text(slots.lease())));
        }
      }
      case Shed(var policy) -> {
        if (ShedReader.write(policy) instanceof OutputNode.Fields(var own)) fields.putAll(own);
      }
      case Stateless stateless -> {}
    }
  }

  private static OutputNode number(long value) {
    return new OutputNode.Literal(Long.toString(value));
  }
}
