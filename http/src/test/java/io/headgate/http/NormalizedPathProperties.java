package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;

class NormalizedPathProperties {
  @Property(tries = 2_000)
  void pathThatIsReturnedUnchangedIsNormal(
      @ForAll
          @Chars({'/', '.', 'a', '%', '2', 'f', ';', '?', '#', ' ', '\u00e9', '~', '\u007f'})
          @StringLength(max = 8)
          String uri) {
    assertThat(NormalizedPath.of(uri)).isEqualTo(NormalizedPath.normalized(uri));
    assertThat(NormalizedPath.of("/" + uri)).isEqualTo(NormalizedPath.normalized("/" + uri));
  }
}
