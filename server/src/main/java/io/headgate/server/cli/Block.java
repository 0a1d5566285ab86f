package io.headgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.rule.Pattern;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.JsonReply;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * A block: a rule that denies every request of one caller, and whose id begins with {@link
 * #PREFIX}.
 *
 * @param match the patterns of the attributes, as in the rule
 * @param until the end of the block; empty if it has none
 */
record Block(String id, SortedMap<String, String> match, Optional<Instant> until, String reason) {
  static final String PREFIX = "block-";

  /** Returns the blocks among the rules of a service. */
  static List<Block> among(List<JsonReply> rules) {
    return rules.stream()
        .filter(rule -> rule.at("id").text().startsWith(PREFIX))
        .filter(rule -> rule.at("limit").text().equals("deny"))
        .map(Block::of)
        .toList();
  }

  private static Block of(JsonReply rule) {
    var match = new TreeMap<String, String>();
    if (rule.at("match") instanceof JsonReply.Members(var conditions)) {
      conditions.forEach((name, pattern) -> match.put(name, pattern.text()));
    }
    return new Block(
        rule.at("id").text(), match, until(rule.at("active")), rule.at("description").text());
  }

  private static Optional<Instant> until(JsonReply active) {
    String text = active.at("until").text();
    if (text.isEmpty()) return Optional.empty();
    try {
      var zone = ZoneId.of(active.at("zone").optionalText().orElse("UTC"));
      var local =
          text.contains("T") ? LocalDateTime.parse(text) : LocalDate.parse(text).atStartOfDay();
      return Optional.of(local.atZone(zone).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty(); // not written by this program
    }
  }

  /**
   * Returns the patterns that match exactly the attributes of a subject. The attribute {@code ip}
   * may be an address or a CIDR block.
   *
   * @throws CommandFailure if the address is not valid
   */
  static SortedMap<String, String> patterns(Map<String, String> subject) {
    var patterns = new TreeMap<String, String>();
    subject.forEach((name, value) -> patterns.put(name, pattern(name, value).text()));
    return patterns;
  }

  private static Pattern pattern(String name, String value) {
    if (!name.equals("ip")) return new Pattern.Exactly(value);
    try {
      return Pattern.parse(name, value);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  /**
   * Returns the id of a new block. It is derived from the patterns, so that two concurrent blocks
   * of the same caller make one rule.
   *
   * @param others the blocks that exist; the id is that of none of them
   */
  static String newId(SortedMap<String, String> patterns, List<Block> others) {
    var hash = new CRC32();
    patterns.forEach((name, pattern) -> {
      hash.update((name + "\0" + pattern + "\0").getBytes(UTF_8));
    });
    String id = "%s%08x".formatted(PREFIX, hash.getValue());
    var taken = others.stream().map(Block::id).collect(Collectors.toSet());
    for (int i = 2; taken.contains(id); i++) id = "%s%08x-%d".formatted(PREFIX, hash.getValue(), i);
    return id;
  }

  /** Returns whether the block has ended. */
  boolean isExpired(Instant now) {
    return until.isPresent() && !until.get().isAfter(now);
  }

  /** Returns the attributes on one line: {@code key=user:42 path=/login}. */
  String caller() {
    return match.entrySet().stream()
        .map(condition -> condition.getKey() + "=" + condition.getValue())
        .collect(Collectors.joining(" "));
  }
}
