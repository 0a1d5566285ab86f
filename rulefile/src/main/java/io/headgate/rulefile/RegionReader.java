package io.headgate.rulefile;

import io.headgate.rule.RegionScope;
import io.headgate.rule.RegionSettings;
import io.headgate.rule.Rule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads and writes {@code regions} and {@code split} of a rule: how it counts several regions. */
final class RegionReader {
  static final String REGIONS = "regions";
  static final String SPLIT = "split";

  /** Reads both fields of a rule; empty if it has neither, or if they are invalid. */
  static Optional<RegionSettings> read(MappingReader section) {
    int before = section.self().problems().count();
    var scope = section.choose(REGIONS, RegionScope.class);
    var split = section.find(SPLIT).map(RegionReader::split).orElse(Map.of());
    boolean invalid = section.self().problems().count() != before;
    if (invalid || (scope.isEmpty() && split.isEmpty())) return Optional.empty();
    return section
        .findOrSelf(split.isEmpty() ? REGIONS : SPLIT)
        .attempt(() -> new RegionSettings(scope, split));
  }

  private static Map<String, Integer> split(FieldValue value) {
    var parts = new LinkedHashMap<String, Integer>();
    value
        .section("a map of regions and their parts, such as { eu: 60%, us: 40% }")
        .ifPresent(section -> {
          for (var region : section.names()) {
            section
                .read(
                    region,
                    "a part such as 60%",
                    text -> ShareSyntax.permille("parts of a limit", text))
                .ifPresent(permille -> parts.put(region, permille));
          }
        });
    return parts;
  }

  /** Adds the fields of a rule that differ from the defaults. */
  static void write(Rule rule, Map<String, OutputNode> fields) {
    var settings = rule.regions();
    settings
        .scope()
        .ifPresent(scope -> fields.put(REGIONS, new OutputNode.Text(EnumNames.text(scope))));
    if (settings.split().isEmpty()) return;
    var parts = new LinkedHashMap<String, OutputNode>();
    settings
        .split()
        .forEach((region, permille) ->
            parts.put(region, new OutputNode.Text(ShareSyntax.percent(permille))));
    fields.put(SPLIT, new OutputNode.Fields(parts));
  }

  private RegionReader() {}
}
