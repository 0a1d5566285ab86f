package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Request;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Compares, for random configurations and descriptors, the limit and counter that
 * envoyproxy/ratelimit looks up (a naive model of it, entry by entry) with those of the imported
 * rules.
 */
class EnvoyLookupProperties {
  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final List<String> VALUES = List.of("x", "xy", "yx", "y", "z");
  private static final List<String> PATTERNS = List.of("x*", "*y", "*x*", "*", "x*x", "*y*");

  private static final long NO_LIMIT = -1;

  /** One configured descriptor. Each limit is identified by its number of permits; 0 denies all. */
  private record Configured(
      String key,
      String value,
      long permits,
      boolean unlimited,
      boolean shared,
      List<Configured> in) {}

  private record Entry(String key, String value) {}

  /** The result of a lookup: a limit and the name of its counter. */
  private record Found(long permits, String counter) {}

  @Property(tries = 400)
  void importedRulesFindTheSameLimitAndCounter(@ForAll long seed) {
    var random = new Random(seed);
    var permits = new int[] {0};
    var config = configured(random, 0, permits);
    var text = new StringBuilder("domain: shop\ndescriptors:\n");
    write(config, "  ", text);
    var rules = RuleSet.of(EnvoyFile.read(text.toString()).rules());
    var counters = new HashMap<String, String>();
    for (int i = 0; i < 200; i++) {
      var entries = entries(random);
      var expected = lookUp(config, entries);
      var plan = rules.plan(Request.of(subject(entries)), 0, 0);
      boolean denied = expected.filter(found -> found.permits() == 0).isPresent();
      assertThat(plan.isDenied()).as("%s%n%s", entries, text).isEqualTo(denied);
      if (denied) continue;
      var charges = plan.charges();
      assertThat(charges).as("%s%n%s", entries, text).hasSizeLessThanOrEqualTo(1);
      assertThat(charges.isEmpty() ? 0 : charges.getFirst().limit().capacity())
          .as("%s%n%s", entries, text)
          .isEqualTo(expected.map(Found::permits).orElse(0L));
      if (expected.isEmpty()) continue;
      var counter = charges.getFirst().counter() + "|" + charges.getFirst().key();
      var same = counters.putIfAbsent(expected.get().counter(), counter);
      if (same != null) assertThat(counter).as("%s%n%s", entries, text).isEqualTo(same);
    }
    assertThat(counters.values()).doesNotHaveDuplicates();
  }

  private static Optional<Found> lookUp(List<Configured> level, List<Entry> entries) {
    var counter = new StringBuilder();
    for (int i = 0; i < entries.size(); i++) {
      var entry = entries.get(i);
      var next = next(level, entry);
      if (next.isEmpty()) return Optional.empty();
      var node = next.get();
      counter.append(entry.key()).append('_');
      counter.append(node.shared() ? node.value() : entry.value()).append('|');
      if (i == entries.size() - 1) {
        return node.permits() != NO_LIMIT && !node.unlimited()
            ? Optional.of(new Found(node.permits(), counter.toString()))
            : Optional.empty();
      }
      level = node.in();
    }
    return Optional.empty();
  }

  private static Optional<Configured> next(List<Configured> level, Entry entry) {
    var ofKey = level.stream().filter(node -> node.key().equals(entry.key())).toList();
    for (var node : ofKey) if (node.value().equals(entry.value())) return Optional.of(node);
    for (var node : ofKey) {
      if (node.value().contains("*")
          && Pattern.matches(node.value().replace("*", ".*"), entry.value())) {
        return Optional.of(node);
      }
    }
    return ofKey.stream().filter(node -> node.value().isEmpty()).findFirst();
  }

  private static List<Configured> configured(Random random, int depth, int[] permits) {
    var made = new LinkedHashMap<String, Configured>();
    int count = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      String key = KEYS.get(random.nextInt(KEYS.size()));
      String value =
          switch (random.nextInt(4)) {
            case 0 -> "";
            case 1 -> PATTERNS.get(random.nextInt(PATTERNS.size()));
            default -> VALUES.get(random.nextInt(VALUES.size()));
          };
      boolean limited = random.nextInt(4) > 0;
      var in =
          depth < 2 && random.nextBoolean()
              ? configured(random, depth + 1, permits)
              : List.<Configured>of();
      made.putIfAbsent(
          key + "_" + value,
          new Configured(
              key,
              value,
              !limited ? NO_LIMIT : random.nextInt(6) == 0 ? 0 : ++permits[0],
              limited && random.nextInt(5) == 0,
              value.contains("*") && random.nextInt(3) == 0,
              in));
    }
    return List.copyOf(made.values());
  }

  private static void write(List<Configured> nodes, String indent, StringBuilder out) {
    for (var node : nodes) {
      out.append(indent).append("- key: ").append(node.key()).append('\n');
      if (!node.value().isEmpty())
        out.append(indent).append("  value: '").append(node.value()).append("'\n");
      if (node.shared()) out.append(indent).append("  share_threshold: true\n");
      if (node.unlimited()) {
        out.append(indent).append("  rate_limit: { unlimited: true }\n");
      } else if (node.permits() != NO_LIMIT) {
        out.append(indent).append("  rate_limit: { unit: hour, requests_per_unit: ");
        out.append(node.permits()).append(" }\n");
      }
      if (!node.in().isEmpty()) {
        out.append(indent).append("  descriptors:\n");
        write(node.in(), indent + "    ", out);
      }
    }
  }

  private static List<Entry> entries(Random random) {
    var entries = new ArrayList<Entry>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      entries.add(
          new Entry(
              KEYS.get(random.nextInt(KEYS.size())), VALUES.get(random.nextInt(VALUES.size()))));
    }
    return entries;
  }

  private static Subject subject(List<Entry> entries) {
    var keys = entries.stream().map(Entry::key).toList();
    var names = EnvoyAttributes.names(keys);
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put(EnvoyAttributes.DOMAIN, "shop");
    attributes.put(EnvoyAttributes.KEYS, EnvoyAttributes.joined(keys));
    for (int i = 0; i < keys.size(); i++) attributes.put(names.get(i), entries.get(i).value());
    return Subject.of(attributes);
  }
}
