package io.headgate.docs;

import io.headgate.server.Service;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs the commands of a page at the repository's root, against the service that the page starts
 * or, if it starts none, one with the example rules. A service that the page starts is a process of
 * the real launcher; everything else runs in this JVM.
 */
final class Console implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)");
  private static final String BACKUPS = "/var/backups";
  private static final String STATE = "/var/lib/headgate";
  private static final long TIMEOUT_SECONDS = 60;
  private static final int MAX_TRIES = 200;

  /** A warning of the service on a machine that is too busy for its event loops. */
  private static final Pattern STARVED =
      Pattern.compile(".* WARN  Thread vert\\.x-eventloop\\S+ has been blocked for .*\n");

  private final Path folder;
  private final ShownRedis redis = new ShownRedis();
  private final CommandShell shell;
  private @Nullable Process process;
  private @Nullable Service service;
  private int port;

  Console(Path folder) throws IOException {
    this.folder = folder;
    this.shell = new CommandShell(folder);
  }

  /**
   * Runs a command and returns its output of both streams, with the addresses that the page shows.
   *
   * @param expected the output after which the method returns for a service, which keeps running
   */
  String run(String command, Pattern expected) throws IOException, InterruptedException {
    if (command.startsWith("./headgate serve") && !command.contains("--help")) {
      return serve(command, expected);
    }
    if (command.equals("systemctl stop headgate")) {
      end();
      return "";
    }
    if (command.equals("systemctl start headgate") || (port == 0 && needsService(command))) {
      service = LocalService.start(folder, Ticker.system());
      port = service.port();
    }
    if (command.startsWith("systemctl")) return "";
    String printed = "";
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      printed = shown(shell.run(redis.in(inFolder(command)), Markdown.ROOT, port));
      // Statistics include the last completed second, so they follow a check with a delay.
      if (!command.startsWith("./headgate callers") || expected.matcher(printed.strip()).matches())
        break;
    }
    return printed;
  }

  private static boolean needsService(String command) {
    return command.contains("curl")
        || command.matches("./headgate (?!rules (lint|example)|simulate|size).*");
  }

  /** Replaces the directories of an installation. */
  private String inFolder(String command) throws IOException {
    if (!command.contains(BACKUPS) && !command.contains(STATE)) return command;
    var backups = Files.createDirectories(folder.resolve("backups"));
    return command.replace(BACKUPS, backups.toString()).replace(STATE, folder.toString());
  }

  private String serve(String command, Pattern expected) throws IOException, InterruptedException {
    end();
    var output = folder.resolve("service");
    Files.deleteIfExists(output);
    process = start("exec " + command + " --port 0", output);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    String printed = "";
    while (System.nanoTime() < deadline && process.isAlive()) {
      printed = Files.readString(output, StandardCharsets.UTF_8);
      printed = STARVED.matcher(printed).replaceAll("");
      var listening = LISTENING.matcher(printed);
      if (listening.find()) {
        port = Integer.parseInt(listening.group(1));
        printed = shown(printed.replace("127.0.0.1:" + port, "127.0.0.1:8080"));
        if (expected.matcher(printed.strip()).matches()) return printed;
      }
      process.waitFor(50, TimeUnit.MILLISECONDS);
    }
    if (port == 0) throw new AssertionError("the service did not start: " + printed);
    return printed;
  }

  private Process start(String command, Path output) throws IOException {
    var builder =
        new ProcessBuilder("bash", "-c", redis.in(command))
            .directory(Markdown.ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("NO_COLOR", "1");
    builder.environment().put("HEADGATE_LOG_FORMAT", "text"); // as on a terminal
    builder.environment().put("HEADGATE_WARM_UP", "0s"); // no example depends on speed
    builder.environment().put("HEADGATE_DATA", data());
    // A service with five requests ends before an optimizing compiler pays off.
    builder.environment().put("HEADGATE_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    return builder.start();
  }

  /** Returns a directory that replaces the default one of the pages, which may be in use. */
  private String data() {
    return folder.resolve("headgate-data").toString();
  }

  private String shown(String text) {
    return redis.shown(text).replace(data(), "./headgate-data");
  }

  @Override
  public void close() {
    end();
    shell.close();
    redis.close();
  }

  private void end() {
    if (service != null) service.close();
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().onExit().join();
    }
    service = null;
    process = null;
    port = 0;
  }
}
