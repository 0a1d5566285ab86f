package io.headgate.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An authority that signs certificates of members, with openssl. */
public final class TestAuthority {
  private final Path folder;

  private TestAuthority(Path folder) {
    this.folder = folder;
  }

  /** Creates an authority in a new folder. */
  public static TestAuthority create(Path folder) throws Exception {
    Files.createDirectories(folder);
    var authority = new TestAuthority(folder);
    authority.openssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj"
            + " /CN=authority -keyout ca.key -out ca.pem");
    return authority;
  }

  /** Issues a certificate; returns the files of the certificate, the key and the authority. */
  public String[] issue(String name) throws Exception {
    openssl(
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=%1$s -keyout %1$s.key"
                .formatted(name)
            + " -out %s.csr".formatted(name));
    openssl(
        "x509 -req -in %1$s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out %1$s.pem"
            .formatted(name));
    return new String[] {file(name + ".pem"), file(name + ".key"), file("ca.pem")};
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private void openssl(String arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("openssl"));
    command.addAll(Arrays.asList(arguments.split(" ", -1)));
    var process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) throw new IllegalStateException(output);
  }
}
