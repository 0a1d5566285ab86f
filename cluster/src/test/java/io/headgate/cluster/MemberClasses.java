package io.headgate.cluster;

import io.headgate.testkit.ExitHooks;
import io.headgate.testkit.net.FreePorts;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The class path of {@link MemberMain} and the JVM's archive of the classes that a member loads.
 * With it, a start takes 1.8 s of CPU time instead of 2.7. One process writes it for all members of
 * this JVM. The JVM archives classes of jars only, so those of directories are copied into one.
 */
final class MemberClasses {
  private static final String SECRET = "a secret of enough length";
  private static final long PATIENCE_SECONDS = 100;

  private static final MemberClasses OF_THIS_JVM = new MemberClasses();

  private final Path folder;
  private final Path archive;
  private final String classPath;

  private MemberClasses() {
    try {
      folder = Files.createTempDirectory("headgate-members");
      ExitHooks.closeAtExit(this::delete);
      archive = folder.resolve("members.jsa");
      classPath = classPath();
      write();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while the archive of classes was written", e);
    }
  }

  /** Returns the command that runs {@link MemberMain} with these arguments. */
  static List<String> command(List<String> arguments) {
    return OF_THIS_JVM.command("-XX:SharedArchiveFile=" + OF_THIS_JVM.archive, arguments);
  }

  private List<String> command(String option, List<String> arguments) {
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // Standard output has the replies of the member.
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                option,
                "-cp",
                classPath,
                MemberMain.class.getName()));
    command.addAll(arguments);
    return command;
  }

  private String classPath() throws IOException {
    var directories = new ArrayList<Path>();
    var path = new ArrayList<String>();
    for (var entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (Files.isDirectory(Path.of(entry))) directories.add(Path.of(entry));
      else path.add(entry);
    }
    path.addFirst(jar(directories).toString());
    return String.join(File.pathSeparator, path);
  }

  private Path jar(List<Path> directories) throws IOException {
    var files = new TreeMap<String, Path>();
    for (var directory : directories) {
      try (var found = Files.walk(directory)) {
        found
            .filter(Files::isRegularFile)
            .forEach(file -> files.putIfAbsent(directory.relativize(file).toString(), file));
      }
    }
    var jar = folder.resolve("members.jar");
    try (var out = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (var file : files.entrySet()) {
        out.putNextEntry(new ZipEntry(file.getKey()));
        Files.copy(file.getValue(), out);
      }
    }
    return jar;
  }

  /** Runs a member that decides and reserves. It exits at the end of its input. */
  private void write() throws IOException, InterruptedException {
    int port = FreePorts.find(1).getFirst();
    var arguments = List.of(Integer.toString(port), "127.0.0.1:" + port, "archive" + port, SECRET);
    var input = folder.resolve("input.txt");
    var output = folder.resolve("output.txt");
    Files.writeString(input, "run spanning x 10\nreserve strict x 1 600\nstatus\n");
    var process =
        new ProcessBuilder(command("-XX:ArchiveClassesAtExit=" + archive, arguments))
            .redirectInput(input.toFile())
            .redirectOutput(output.toFile())
            .redirectErrorStream(true)
            .start();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || !Files.exists(archive)) {
        throw new IllegalStateException("no archive of classes: " + Files.readString(output));
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private void delete() throws IOException {
    try (var files = Files.list(folder)) {
      for (var file : files.toList()) Files.delete(file);
    }
    Files.delete(folder);
  }
}
