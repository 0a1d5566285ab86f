package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class YamlExamplesTest {
  static List<Markdown.Block> examples() {
    return Markdown.blocks("yaml");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void exampleIsAValidRuleSet(Markdown.Block example) {
    assertThat(RuleSet.of(RuleFile.read(example.text())).rules()).isNotEmpty();
  }
}
