package io.headgate.server.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.api.AccessControl;
import io.headgate.server.callers.CallerMask;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class StatsOptionsTest {
  private static final AccessControl ADMIN =
      new AccessControl(Optional.of("adm1n"), Optional.empty());

  @TempDir private Path folder;

  @Command
  private static final class Serve {
    @Mixin StatsOptions stats = new StatsOptions();
  }

  private static CallerMask mask(AccessControl access, Path data, String... arguments) {
    var serve = new Serve();
    new CommandLine(serve).parseArgs(arguments);
    return serve.stats.settings(access, data).mask();
  }

  @Test
  void namesAreWholeUnlessMaskingIsSwitchedOn() {
    assertThat(mask(ADMIN, folder).isActive()).isFalse();
    assertThat(mask(ADMIN, folder, "--mask-callers=false").isActive()).isFalse();
    assertThat(mask(ADMIN, folder, "--mask-callers").isActive()).isTrue();
    assertThat(mask(ADMIN, folder, "--mask-callers", "--caller-attributes", "user").isActive())
        .isTrue();
  }

  @Test
  void flagDoesNotInvertTheEnvironment() {
    var serve = new Serve();
    var line = new CommandLine(serve);
    line.setDefaultValueProvider(
        argument -> argument.paramLabel().equals("true|false") ? "true" : null);
    line.parseArgs();
    assertThat(serve.stats.settings(ADMIN, folder).mask().isActive()).isTrue();
    line.parseArgs("--mask-callers");
    assertThat(serve.stats.settings(ADMIN, folder).mask().isActive()).isTrue();
  }

  @Test
  void instancesWithTheSameAdminTokenHaveTheSameMask() {
    var one = mask(ADMIN, folder.resolve("one"), "--mask-callers");
    var other = mask(ADMIN, folder.resolve("other"), "--mask-callers");
    assertThat(one.name("user:4211")).isEqualTo(other.name("user:4211"));
    assertThat(folder.resolve("one")).doesNotExist();
    var rotated = new AccessControl(Optional.of("adm2n"), Optional.empty());
    assertThat(mask(rotated, folder, "--mask-callers").name("user:4211"))
        .isNotEqualTo(one.name("user:4211"));
  }

  @Test
  void withoutAnAdminTokenTheKeyIsInTheDataDirectory() {
    var one = mask(AccessControl.OPEN, folder.resolve("one"), "--mask-callers");
    var again = mask(AccessControl.OPEN, folder.resolve("one"), "--mask-callers");
    var other = mask(AccessControl.OPEN, folder.resolve("other"), "--mask-callers");
    assertThat(Files.exists(folder.resolve("one").resolve(MaskKeyFile.NAME))).isTrue();
    assertThat(again.name("user:4211")).isEqualTo(one.name("user:4211"));
    assertThat(other.name("user:4211")).isNotEqualTo(one.name("user:4211"));
  }
}
