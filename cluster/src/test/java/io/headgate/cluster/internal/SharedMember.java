package io.headgate.cluster.internal;

import io.headgate.internal.script.LimitFormat;
import io.headgate.internal.script.ScriptConnection;
import io.headgate.testkit.net.FreePorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * The member of the test JVM, shared by all tests that need a single one: a process has at most one
 * member, and starting it takes seconds. It ends with the JVM.
 */
final class SharedMember {
  private static final List<Integer> PORTS = new ArrayList<>();
  private static final GridNode NODE = start();

  private SharedMember() {}

  private static GridNode start() {
    var ports = FreePorts.find(2);
    PORTS.addAll(ports);
    return GridNode.start(
        new NodeSettings(
            "test" + ports.getFirst(),
            "127.0.0.1",
            ports.get(0),
            ports.get(1),
            List.of(new NodeSettings.HostPort("127.0.0.1", ports.getFirst())),
            Optional.empty(),
            1,
            64 << 20,
            Duration.ofSeconds(5),
            OptionalInt.empty(),
            Optional.empty(),
            NodeSettings.WIRE_VERSION));
  }

  /** Returns the port and the data port of the member. */
  static List<Integer> ports() {
    return List.copyOf(PORTS);
  }

  static GridNode node() {
    return NODE;
  }

  /** Removes all counters, and returns a connection that leaves the member running when closed. */
  static ScriptConnection emptyConnection() {
    NODE.clear();
    return new Unclosed(NODE.connection());
  }

  private record Unclosed(MemberConnection connection) implements ScriptConnection {
    @Override
    public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
      return connection.decide(keys, argument);
    }

    @Override
    public CompletionStage<Long> reset(byte[] key) {
      return connection.reset(key);
    }

    @Override
    public CompletionStage<Long> publishReturn(byte[] key) {
      return connection.publishReturn(key);
    }

    @Override
    public CompletionStage<Long> size() {
      return connection.size();
    }

    @Override
    public int hashSlot(String key) {
      return connection.hashSlot(key);
    }

    @Override
    public boolean keepsReservations() {
      return connection.keepsReservations();
    }

    @Override
    public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
      return connection.reservations(keys, arguments);
    }

    @Override
    public LimitFormat limitFormat() {
      return connection.limitFormat();
    }

    @Override
    public void close() {}
  }
}
