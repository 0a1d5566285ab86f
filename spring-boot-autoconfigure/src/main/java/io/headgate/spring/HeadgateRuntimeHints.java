package io.headgate.spring;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Registers the resources and fields that a native image has to keep: the rule file, the scripts
 * for Redis, and the fields that the memory store changes through variable handles.
 */
final class HeadgateRuntimeHints implements RuntimeHintsRegistrar {
  private static final Map<String, String> HANDLES =
      Map.of("io.headgate.store.WordCell", "word", "io.headgate.store.StateCell", "status");

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints
        .resources()
        .registerPattern("headgate.yaml")
        .registerPattern("io/headgate/redis/lua/*.lua");
    HANDLES.forEach((type, field) ->
        hints.reflection().registerType(TypeReference.of(type), hint -> hint.withField(field)));
  }
}
