package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.PathReadings.Parameters;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;

class NormalizedPathProperties {
  private static Optional<String> inFilters(String raw) {
    try {
      return Optional.of(NormalizedPath.of(raw));
    } catch (AmbiguousPathException e) {
      return Optional.empty();
    }
  }

  /** A server that is unknown may be one of those that the filters run in. */
  @Property(tries = 2_000)
  void pathInFiltersIsOneOfTheReadings(
      @ForAll
          @Chars({'/', '.', 'a', '%', '2', 'e', 'f', '5', 'c', '3', 'b', ';', '#', '\u00e9', '~'})
          @StringLength(max = 10)
          String rest) {
    String raw = "/" + rest;
    inFilters(raw)
        .ifPresent(path ->
            assertThat(PathReadings.of(raw, Parameters.REMOVED)).as(raw).containsExactly(path));
    inFilters(raw)
        .ifPresent(
            path -> assertThat(PathReadings.of(raw, Parameters.UNKNOWN)).as(raw).contains(path));
  }

  @Property(tries = 2_000)
  void pathInFiltersHasNeitherEmptyNorDotSegments(
      @ForAll @Chars({'/', '.', '%', '2', 'e', 'f', ';', '\\'}) @StringLength(max = 12)
          String raw) {
    inFilters(raw)
        .ifPresent(
            path -> assertThat(path + "/").startsWith("/").doesNotContain("/./", "/../", "\\"));
    inFilters(raw).ifPresent(path -> assertThat(path).doesNotContain("//"));
  }

  @Property(tries = 1_000)
  void everyReadingIsAValidAttribute(@ForAll @StringLength(max = 200) String anything) {
    try {
      for (var path : PathReadings.of(anything, Parameters.UNKNOWN)) {
        assertThat(path).startsWith("/");
        assertThat(TextSyntax.flaw(path)).isEmpty();
      }
    } catch (AmbiguousPathException e) {
      assertThat(e).hasMessageContaining("too many readings");
    }
  }
}
