package io.headgate.rulefile;

import io.headgate.rulefile.EnvoyNode.Domain;
import io.headgate.rulefile.EnvoyNode.Limit;
import io.headgate.rulefile.EnvoyNode.Unit;
import io.headgate.rulefile.EnvoyNode.UnsupportedField;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads a configuration of envoyproxy/ratelimit. It accepts and rejects the same fields and values
 * as that program.
 */
final class EnvoyReader {
  private static final List<String> FILE_FIELDS = List.of("domain", "descriptors");
  private static final List<String> DESCRIPTOR_FIELDS =
      List.of(
          "key",
          "value",
          "rate_limit",
          "descriptors",
          "shadow_mode",
          "quota_mode",
          "detailed_metric",
          "value_to_metric",
          "share_threshold",
          "metadata");
  private static final List<String> LIMIT_FIELDS =
      List.of("unit", "requests_per_unit", "unlimited", "name", "replaces");

  /** The fields that rules do not support. The import reports them in notes. */
  private static final List<String> UNSUPPORTED_FIELDS =
      List.of("quota_mode", "detailed_metric", "value_to_metric", "metadata");

  private static final String BOOLEAN = "true or false";

  /** Reads a file; empty if it has no valid domain, which is then among the problems. */
  Optional<Domain> read(FieldValue value) {
    return value
        .section("a map with the fields domain and descriptors")
        .flatMap(section -> {
          section.allowOnly(FILE_FIELDS);
          var name = section.require("domain", "a name", EnvoyReader::nonEmpty);
          return name.map(given -> new Domain(given, descriptors(section)));
        });
  }

  private static String nonEmpty(String text) {
    if (text.isEmpty()) throw new IllegalArgumentException("must not be empty");
    return text;
  }

  private List<EnvoyNode> descriptors(MappingReader section) {
    var nodes = new ArrayList<EnvoyNode>();
    var seen = new HashMap<List<String>, SourcePosition>();
    var items = section.find("descriptors").flatMap(list -> list.items("a list of descriptors"));
    for (var item : items.orElse(List.of())) {
      descriptor(item)
          .ifPresent(node -> {
            var same = seen.putIfAbsent(List.of(node.key(), node.value().orElse("")), node.at());
            if (same == null) nodes.add(node);
            else item.problem("the same key and value are on line %d".formatted(same.line()));
          });
    }
    return nodes;
  }

  private Optional<EnvoyNode> descriptor(FieldValue item) {
    return item.section("a descriptor: a map with a key")
        .flatMap(section -> {
          section.allowOnly(DESCRIPTOR_FIELDS);
          var key = section.require("key", "the key of an entry", EnvoyReader::nonEmpty);
          var value = section.read("value", "a text", text -> text).filter(text -> !text.isEmpty());
          var unsupported = new ArrayList<UnsupportedField>();
          for (var field : UNSUPPORTED_FIELDS) report(section, field, unsupported);
          var limit =
              section
                  .find("rate_limit")
                  .flatMap(given -> given.section("a map with unit and requests_per_unit"))
                  .flatMap(given -> limit(given, unsupported));
          boolean shared = flag(section, "share_threshold");
          if (shared && (value.isEmpty() || value.get().indexOf('*') < 0)) {
            section.problem(
                "share_threshold", "needs a value with a *; all values that match share a counter");
          }
          boolean quota = flag(section, "quota_mode");
          boolean shadow = flag(section, "shadow_mode") || quota;
          var nested = descriptors(section);
          return key.map(name ->
              new EnvoyNode(
                  name,
                  value,
                  limit,
                  shadow,
                  shared,
                  nested,
                  unsupported,
                  item.node().at(),
                  item.path()));
        });
  }

  private Optional<Limit> limit(MappingReader section, List<UnsupportedField> unsupported) {
    section.allowOnly(LIMIT_FIELDS);
    if (section.has("replaces")) {
      unsupported.add(
          new UnsupportedField("rate_limit.replaces", section.findOrSelf("replaces").node().at()));
    }
    var at = section.self().node().at();
    var name = section.read("name", "a text", text -> text).filter(text -> !text.isEmpty());
    if (flag(section, "unlimited")) {
      if (section.has("unit")) {
        section.problem("unit", "contradicts unlimited: true; remove one of the two");
      }
      return Optional.of(new Limit(true, 0, Unit.SECOND, name, at));
    }
    var permits = section.read("requests_per_unit", "a number", EnvoyReader::number).orElse(0L);
    var unit = section.require("unit", "one of second to year", EnvoyReader::unit);
    return unit.map(given -> new Limit(false, permits, given, name, at));
  }

  private static long number(String text) {
    if (!text.matches("[0-9]{1,10}") || Long.parseLong(text) > 0xFFFF_FFFFL) {
      throw new IllegalArgumentException(
          "must be a whole number of at most 32 bits, got " + Excerpt.of(text));
    }
    return Long.parseLong(text);
  }

  /** Units are case-insensitive in envoyproxy/ratelimit. */
  private static Unit unit(String text) {
    return EnumNames.parse(Unit.class, text.toLowerCase(Locale.ROOT));
  }

  private static boolean flag(MappingReader section, String field) {
    return section
        .read(
            field,
            BOOLEAN,
            text ->
                switch (text) {
                  case "true", "True", "TRUE" -> true;
                  case "false", "False", "FALSE" -> false;
                  default ->
                      throw new IllegalArgumentException(
                          "must be %s, got %s".formatted(BOOLEAN, Excerpt.of(text)));
                })
        .orElse(false);
  }

  private static void report(
      MappingReader section, String field, List<UnsupportedField> unsupported) {
    section
        .find(field)
        .ifPresent(value -> unsupported.add(new UnsupportedField(field, value.node().at())));
  }
}
