package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterOptionsTest {
  @Test
  void membersAreHostsWithOrWithoutPorts() {
    assertThat(MemberAddress.parseAll("10.0.0.1:7575, members.local,[::1]:80"))
        .containsExactly(
            new MemberAddress("10.0.0.1", 7575),
            new MemberAddress("members.local", ClusterOptions.DEFAULT_PORT),
            new MemberAddress("::1", 80));
    assertThat(new MemberAddress("::1", 80)).hasToString("[::1]:80");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a:b", "a:0", "a:70000", "a b:1", ",", "a:1,"})
  void otherTextsAreRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> ClusterOptions.builder(text));
  }

  @Test
  void secretIsNotShownAndMustNotBeShort() {
    var options = ClusterOptions.builder("a:1").secret("0123456789abcdef").build();
    assertThat(options.toString()).doesNotContain("0123456789abcdef");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClusterOptions.builder("a:1").secret("short"))
        .withMessageContaining("at least 16 characters, got 5");
  }

  @Test
  void secretAndCertificatesExcludeEachOtherAndPortsDiffer() {
    var files = new MemberCertificates(Path.of("c"), Path.of("k"), Path.of("a"));
    var both = ClusterOptions.builder("a:1").secret("0123456789abcdef").certificates(files);
    assertThatIllegalArgumentException().isThrownBy(both::build).withMessageContaining("not with");
    var same = ClusterOptions.builder("a:1").port(7000).dataPort(7000);
    assertThatIllegalArgumentException().isThrownBy(same::build).withMessageContaining("7000");
  }

  /** Fails before anything is started. */
  @Test
  void memberThatOtherMachinesCanReachNeedsASecret() {
    var options = ClusterOptions.builder("a:1").host("0.0.0.0").build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClusterStore.join(options))
        .withMessageContaining("needs a cluster secret");
  }
}
