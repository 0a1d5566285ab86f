package io.headgate.cluster.internal.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VoterFileTest {
  private static final Agreement AGREED =
      new Agreement(
          new Voters(7, new TreeSet<>(Set.of("10.0.0.1:7574", "[::1]:7574")), 2), Optional.empty());

  @TempDir private Path folder;

  private VoterFile file(String cluster) {
    return new VoterFile(folder.resolve("data").resolve("cluster-members"), cluster);
  }

  @Test
  void whatWasSavedIsLoaded() {
    assertThat(file("a").load()).isEmpty();
    var founding = Agreement.of(Voters.any(3));
    for (var each : new Agreement[] {AGREED, AGREED.propose(Set.of("x:1")), founding}) {
      file("a").save(each);
      assertThat(file("a").load()).contains(each);
      assertThat(file("b").load()).isEmpty();
    }
  }

  @Test
  void whatWasWrittenToAMessageIsRead() {
    for (var each : new Agreement[] {AGREED, AGREED.propose(Set.of("x:1"))}) {
      var out = new NumberWriter();
      each.writeTo(out);
      assertThat(Agreement.readFrom(new NumberReader(out.toByteArray()))).isEqualTo(each);
    }
  }

  @Test
  void malformedFileNamesItselfAndTheRemedy() throws IOException {
    file("a").save(AGREED);
    Files.writeString(folder.resolve("data").resolve("cluster-members"), "cluster=a\nversion=x\n");
    assertThatThrownBy(file("a")::load)
        .hasMessageContaining("cluster-members")
        .hasMessageContaining("remove the file");
  }
}
