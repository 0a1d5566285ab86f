package io.headgate.examples.llm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;

/**
 * A request for a chat completion.
 *
 * @param body the whole request, as it is forwarded
 */
record ChatRequest(ObjectNode body) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long DEFAULT_MAX_TOKENS = 256;

  /**
   * Parses a request.
   *
   * @throws IllegalArgumentException if it is not a JSON object with a model and messages
   */
  static ChatRequest parse(byte[] bytes) {
    try {
      if (JSON.readTree(bytes) instanceof ObjectNode body
          && body.path("model").isTextual()
          && body.path("messages").isArray()) {
        return new ChatRequest(body);
      }
    } catch (IOException e) {
      // reported below
    }
    throw new IllegalArgumentException(
        "the body must be a JSON object with a model and messages, such as"
            + " {\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}");
  }

  String model() {
    return body.get("model").asText();
  }

  Optional<String> user() {
    return Optional.of(body.path("user").asText("")).filter(user -> !user.isEmpty());
  }

  boolean isStreamed() {
    return body.path("stream").asBoolean(false);
  }

  /** Returns the most tokens that the call can use: those of the prompt and of the answer. */
  long estimate(TokenEstimator estimator) {
    long prompt = 0;
    for (JsonNode message : body.get("messages")) {
      prompt += estimator.tokens(message.path("content").toString());
    }
    long answer =
        body.path("max_completion_tokens")
            .asLong(body.path("max_tokens").asLong(DEFAULT_MAX_TOKENS));
    return prompt + Math.max(0, answer);
  }

  /** Returns the request to forward. A stream has to report its usage at its end. */
  byte[] forwarded() throws IOException {
    if (!isStreamed()) return JSON.writeValueAsBytes(body);
    var copy = body.deepCopy();
    copy.putObject("stream_options").put("include_usage", true);
    return JSON.writeValueAsBytes(copy);
  }
}
