package io.headgate.testkit.net;

import io.headgate.testkit.ExitHooks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A network of Linux namespaces, one for each member, and a switch between them in a namespace of
 * its own. Nothing outside of these namespaces is changed. Needs root; not thread-safe.
 */
public final class MemberNetwork implements AutoCloseable {
  private static final String SUBNET = "10.213.7.";

  private final String prefix = "hg" + ProcessHandle.current().pid() + "-";
  private final String hub = prefix + "hub";
  private final List<String> namespaces = new ArrayList<>();

  /** Creates the namespaces of that many members. */
  public MemberNetwork(int members) throws IOException {
    ExitHooks.closeAtExit(this);
    try {
      add(hub);
      in(hub, "ip link add name hub type bridge");
      in(hub, "ip link set hub up");
      for (int i = 0; i < members; i++) connect(i);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Returns whether this process may create namespaces and connect them. */
  public static boolean isPermitted() {
    try (var network = new MemberNetwork(1)) {
      return !network.namespaces.isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  private void add(String namespace) throws IOException {
    run("ip netns add " + namespace);
    namespaces.add(namespace);
    in(namespace, "ip link set lo up");
  }

  private void connect(int member) throws IOException {
    add(name(member));
    in(hub, "ip link add port%d type veth peer name eth0 netns %s".formatted(member, name(member)));
    in(hub, "ip link set port%d master hub".formatted(member));
    in(hub, "ip link set port%d up".formatted(member));
    in(name(member), "ip address add %s/24 dev eth0".formatted(address(member)));
    in(name(member), "ip link set eth0 up");
  }

  private String name(int member) {
    return prefix + member;
  }

  /** Returns the address of a member. */
  public String address(int member) {
    return SUBNET + (member + 1);
  }

  /** Returns the words before a command that runs as a member. */
  public List<String> enter(int member) {
    return List.of("ip", "netns", "exec", name(member));
  }

  /** Separates a member from all others, or connects it again. */
  public void separate(int member, boolean separated) throws IOException {
    in(hub, "ip link set port%d %s".formatted(member, separated ? "down" : "up"));
  }

  /**
   * Loses all packets from one member to another, but none in the other direction; or ends that.
   */
  public void lose(int from, int to, boolean lost) throws IOException {
    in(name(from), "ip route %s blackhole %s/32".formatted(lost ? "add" : "del", address(to)));
  }

  /** Cuts the link between two members in both directions, or connects them again. */
  public void cut(int one, int other, boolean cut) throws IOException {
    lose(one, other, cut);
    lose(other, one, cut);
  }

  private static void in(String namespace, String command) throws IOException {
    run("ip netns exec " + namespace + " " + command);
  }

  private static void run(String command) throws IOException {
    var process = new ProcessBuilder(command.split(" ", -1)).redirectErrorStream(true).start();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) throw new IOException(command + ": " + output.strip());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(command + " was interrupted", e);
    }
  }

  /** Removes the namespaces, and with them all that was created. */
  @Override
  public void close() {
    for (var namespace : namespaces) {
      try {
        run("ip netns del " + namespace);
      } catch (IOException e) {
        System.err.println("cannot remove a namespace: " + e.getMessage());
      }
    }
    namespaces.clear();
  }
}
