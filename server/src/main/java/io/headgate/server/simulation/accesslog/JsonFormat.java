package io.headgate.server.simulation.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads lines with a JSON object. Recognizes common field names; a nested field is named with dots,
 * as in {@code request.remote_ip}.
 */
final class JsonFormat implements LineFormat {
  private static final int MAX_DEPTH = 16;
  private static final Optional<String> NO_JSON = Optional.of("is not a JSON object");
  private static final Optional<String> NO_TIME =
      Optional.of("has no time that can be read, in time, timestamp, @timestamp, ts or the like");

  private static final List<String> TIMES =
      List.of(
          "time",
          "timestamp",
          "@timestamp",
          "ts",
          "time_iso8601",
          "iso8601",
          "msec",
          "time_local",
          "datetime",
          "date",
          "StartUTC",
          "start_time",
          "eventTime");

  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
          .build();

  /** Target slot of a field name. A lower rank takes precedence. */
  private record Target(int slot, int rank) {}

  private final Map<String, List<Target>> targets = new HashMap<>();
  private final Map<String, Integer> times = new HashMap<>();
  private final int path;
  private final int method;
  private final boolean withQuery;
  private int timeRank;

  JsonFormat(FieldSlots slots, boolean withQuery) {
    this.withQuery = withQuery;
    this.path = slots.find("path");
    this.method = slots.find("method");
    for (var name : slots.names()) {
      int slot = slots.find(name);
      add(name, new Target(slot, 0));
      int rank = 1;
      for (var alias : FieldNames.aliases(name)) {
        add(alias, new Target(slot, rank++));
      }
    }
    for (var name : TIMES) times.put(name, times.size());
  }

  private void add(String field, Target target) {
    targets.computeIfAbsent(field, name -> new ArrayList<>()).add(target);
  }

  @Override
  public Optional<String> read(byte[] bytes, int from, int to, LogLine line) {
    timeRank = Integer.MAX_VALUE;
    try (var parser = FACTORY.createParser(bytes, from, to - from)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) return NO_JSON;
      members(parser, "", line);
      if (parser.nextToken() != null) return NO_JSON;
    } catch (IOException e) {
      return NO_JSON;
    }
    return line.time.isPresent() ? Optional.empty() : NO_TIME;
  }

  private void members(JsonParser parser, String within, LogLine line) throws IOException {
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      String full = within.isEmpty() ? name : within + name;
      var token = parser.nextToken();
      if (token == JsonToken.START_OBJECT) members(parser, full + ".", line);
      else if (token == JsonToken.START_ARRAY) first(parser, full, line);
      else if (token != JsonToken.VALUE_NULL) scalar(parser, full, line);
    }
  }

  /** Reads the first item of an array, such as the values of a header. */
  private void first(JsonParser parser, String name, LogLine line) throws IOException {
    for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
      if (parser.currentToken().isStructStart()) parser.skipChildren();
      else if (i == 0 && parser.currentToken() != JsonToken.VALUE_NULL) scalar(parser, name, line);
    }
  }

  private void scalar(JsonParser parser, String name, LogLine line) throws IOException {
    var fieldTargets = targets.get(name);
    if (fieldTargets != null) {
      for (var target : fieldTargets) put(target, parser.getText(), line);
    }
    var rank = times.get(name);
    if (rank != null && rank < timeRank) {
      var text = parser.getText().getBytes(UTF_8);
      if (line.time.read(text, 0, text.length)) timeRank = rank;
    }
    if (name.equals("request") && (path >= 0 || method >= 0)) request(parser.getText(), line);
  }

  private void put(Target target, String value, LogLine line) {
    line.put(
        target.slot,
        target.slot == path ? RequestTarget.path(value, withQuery) : value,
        target.rank);
  }

  /** Reads a request line such as {@code GET / HTTP/1.1}. */
  private void request(String text, LogLine line) {
    var parts = text.split(" ", 3);
    if (parts.length < 2) return;
    if (method >= 0) line.put(method, parts[0], 100);
    if (path >= 0) line.put(path, RequestTarget.path(parts[1], withQuery), 100);
  }
}
