package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rulefile.EnvoyFile;
import io.headgate.rulefile.RuleFile;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Tests the output of import-envoy. */
class ImportEnvoyTest extends Shell {
  private static final String CONFIGURATION =
      """
      domain: shop
      descriptors:
        - key: user
          detailed_metric: true
          rate_limit: { unit: minute, requests_per_unit: 5 }
      """;

  private void write(String text) throws IOException {
    Files.writeString(folder.resolve("envoy.yaml"), text);
  }

  @Test
  void rulesGoToStandardOutputAndNotesToStandardError() throws IOException {
    write(CONFIGURATION);
    assertThat(run("rules", "import-envoy", "envoy.yaml")).isZero();
    assertThat(RuleFile.read(out)).isEqualTo(EnvoyFile.read(CONFIGURATION).rules());
    assertThat(err)
        .startsWith("envoy.yaml:4: descriptors[0].detailed_metric: detailed_metric is not")
        .hasLineCount(1);
  }

  @Test
  void jsonHasRulesAndNotes() throws IOException {
    write(CONFIGURATION);
    assertThat(run("rules", "import-envoy", "--json", "envoy.yaml")).isZero();
    assertThat(out)
        .startsWith("{\"rules\":[{\"id\":\"shop/user\"")
        .contains("\"notes\":[{\"line\":4,\"path\":\"descriptors[0].detailed_metric\"");
    assertThat(err).isEmpty();
  }

  @Test
  void deniedDescriptorStaysDenied() throws IOException {
    write(
        """
        domain: shop
        descriptors:
          - key: user
            rate_limit: { unit: minute, requests_per_unit: 5 }
          - key: user
            value: banned
            rate_limit: { unit: second, requests_per_unit: 0 }
        """);
    assertThat(run("rules", "import-envoy", "envoy.yaml")).isZero();
    assertThat(out).contains("user: banned }\n    limit: deny\n");
    assertThat(err).isEmpty();
  }

  private static final String LOOSENED =
      """
      domain: shop
      descriptors:
        - key: user
          rate_limit: { unit: minute, requests_per_unit: 5 }
        - key: ip
          rate_limit: { unit: minute, requests_per_unit: 5 }
      """;

  @Test
  void importThatWouldAdmitMoreIsNotPrinted() throws IOException {
    write(LOOSENED);
    assertThat(run("rules", "import-envoy", "envoy.yaml")).isEqualTo(1);
    assertThat(out).isEmpty();
    assertThat(err)
        .startsWith("envoy.yaml:5: descriptors[1]: loosened: the limit is left out: ")
        .contains("in 1 place, marked loosened;", "--allow-loosening")
        .hasLineCount(2);
    assertThat(run("rules", "import-envoy", "--json", "envoy.yaml")).isEqualTo(1);
    assertThat(out).doesNotContain("\"rules\"").contains("\"loosens\":true");
  }

  @Test
  void importThatAdmitsMoreIsPrintedOnRequest() throws IOException {
    write(LOOSENED);
    assertThat(run("rules", "import-envoy", "--allow-loosening", "envoy.yaml")).isZero();
    assertThat(RuleFile.read(out)).hasSize(1);
    assertThat(err).contains("envoy.yaml:5: descriptors[1]: loosened: ").hasLineCount(1);
  }

  @Test
  void invalidConfigurationIsRejectedWithLineNumbers() throws IOException {
    write("domain: shop\ndescriptors:\n  - key: user\n    rate_limt: {}\n");
    assertThat(run("rules", "import-envoy", "envoy.yaml")).isEqualTo(1);
    assertThat(err).contains("envoy.yaml:4:5:", "did you mean rate_limit?");
    assertThat(out).isEmpty();
  }

  @Test
  void missingFileIsAnError() {
    assertThat(run("rules", "import-envoy", "none.yaml")).isEqualTo(2);
    assertThat(err).contains("there is no such file");
  }
}
