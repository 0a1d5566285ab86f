package io.headgate.server.callers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class CallerMaskTest {
  private static final CallerMask MASK = mask("key");

  private static CallerMask mask(String key) {
    return CallerMask.of(key.getBytes(StandardCharsets.UTF_8), CallerNaming.DEFAULT_ATTRIBUTES);
  }

  @Test
  void nameKeepsItsAttributeAndTwoCharactersAtEitherEnd() {
    assertThat(MASK.name("user:4211")).matches("us…11#[0-9a-f]{6}");
    assertThat(MASK.name("api-key=sk-12345-9f")).matches("api-key=sk…9f#[0-9a-f]{6}");
    assertThat(MASK.name("secret=12345-9f")).as("a bare key").matches("se…9f#[0-9a-f]{6}");
    assertThat(MASK.name(CallerNaming.UNNAMED)).isEqualTo(CallerNaming.UNNAMED);
  }

  @Test
  void shortValueShowsNothing() {
    assertThat(MASK.name("user=42")).matches("user=…#[0-9a-f]{6}");
    assertThat(MASK.name("1234567")).matches("…#[0-9a-f]{6}");
    assertThat(MASK.name("")).matches("…#[0-9a-f]{6}");
  }

  @Test
  void charactersOutsideTheBasicPlaneAreNotCut() {
    String smile = "\uD83D\uDE00";
    assertThat(MASK.value(smile.repeat(8))).startsWith(smile.repeat(2) + "…" + smile.repeat(2));
  }

  @Test
  void hashDependsOnTheKeyAndIsTheSameInNameAndSubject() {
    assertThat(mask("key").name("user:4211")).isEqualTo(MASK.name("user:4211"));
    assertThat(mask("other").name("user:4211")).isNotEqualTo(MASK.name("user:4211"));
    assertThat(MASK.name("user:4211")).isNotEqualTo(MASK.name("user:4311"));
    assertThat(MASK.subject(Map.of("user", "42", "path", "/accounts/7")))
        .containsEntry("user", MASK.name("user=42").substring("user=".length()))
        .containsEntry("path", MASK.value("/accounts/7"));
  }

  @Property(tries = 200)
  void atMostHalfOfTheCharactersAreShown(@ForAll @StringLength(max = 40) String value) {
    String shown = MASK.value(value);
    String visible = shown.substring(0, shown.lastIndexOf('#')).replaceFirst("…", "");
    assertThat(visible.codePointCount(0, visible.length()))
        .isLessThanOrEqualTo(value.codePointCount(0, value.length()) / 2);
  }

  @Test
  void inactiveMaskChangesNothing() {
    assertThat(CallerMask.NONE.name("api-key=1234")).isEqualTo("api-key=1234");
    assertThat(CallerMask.NONE.subject(Map.of("a", "b"))).isEqualTo(Map.of("a", "b"));
    assertThat(CallerMask.NONE.isActive()).isFalse();
    assertThat(CallerMask.of(new byte[] {1}, List.of()).isActive()).isTrue();
  }
}
