package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.rule.Subject;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.simulation.PlaygroundReader;
import io.headgate.server.http.simulation.WhatIfReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Tests that a body is read or rejected with 4xx. A body that is read is strict JSON, and an
 * independent reader, which builds a tree of it, finds the same subjects and costs.
 */
public final class JsonBodyFuzzTarget {
  private static final ObjectMapper TREES =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    for (var fields :
        List.of(
            CheckField.OF_CHECK,
            CheckField.OF_EXPLAIN,
            CheckField.OF_RESET,
            CheckField.OF_TOKENS)) {
      var check = accepted(() -> CheckRequestReader.readOne(input, fields));
      if (check.isPresent()) requireSame(check.get(), TREES.readTree(input), fields);
    }
    var batch = accepted(() -> CheckRequestReader.readBatch(input));
    if (batch.isPresent()) {
      var trees = TREES.readTree(input).get("checks");
      assertThat(batch.get()).hasSize(trees.size());
      for (int i = 0; i < trees.size(); i++) {
        requireSame(batch.get().get(i), trees.get(i), CheckField.OF_PEEK);
      }
    }
    if (accepted(() -> WhatIfReader.read(input)).isPresent()) TREES.readTree(input);
    if (accepted(() -> SignalReader.read(input)).isPresent()) TREES.readTree(input);
    if (accepted(() -> PlaygroundReader.read(input)).isPresent()) TREES.readTree(input);
  }

  private static void requireSame(CheckRequest check, JsonNode tree, Set<CheckField> fields) {
    tree.fieldNames()
        .forEachRemaining(name -> assertThat(CheckField.find(name)).isNotNull().isIn(fields));
    var attributes = new LinkedHashMap<String, String>();
    if (tree.has("key")) attributes.put(Subject.KEY, tree.get("key").asText());
    else
      tree.get("subject")
          .properties()
          .forEach(e -> attributes.put(e.getKey(), e.getValue().asText()));
    assertThat(check.subject().attributes()).isEqualTo(attributes);
    var cost = Optional.<JsonNode>empty();
    for (var name : List.of("cost", "tokens", "tokensRequested")) {
      if (tree.has(name)) cost = Optional.of(tree.get(name));
    }
    assertThat(check.request().cost()).isEqualTo(cost.map(JsonNode::longValue).orElse(1L));
    Map<String, Long> costs = new LinkedHashMap<>();
    if (tree.has("costs")) {
      tree.get("costs").properties().forEach(e -> costs.put(e.getKey(), e.getValue().longValue()));
    }
    assertThat(check.request().costs()).isEqualTo(costs);
    assertThat(check.waits()).isEqualTo(tree.has("wait") && tree.get("wait").booleanValue());
    assertThat(check.rule()).isEqualTo(tree.has("rule") ? tree.get("rule").asText() : "");
  }

  private static <T> Optional<T> accepted(Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (ProblemException e) {
      assertThat(e.problem().status()).isBetween(400, 499);
      return Optional.empty();
    }
  }

  private JsonBodyFuzzTarget() {}
}
