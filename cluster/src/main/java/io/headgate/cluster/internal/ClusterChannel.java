package io.headgate.cluster.internal;

import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import io.headgate.store.InstanceChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Carries messages between members. The content of a topic is stored like a counter. */
public final class ClusterChannel implements InstanceChannel {
  /** Rule names contain no bar, so that no counter has a name with this end. */
  private static final String SUFFIX = "|||topic";

  private final MemberConnection connection;
  private final MemberEvents events;

  /** Creates the channel of a member. */
  public ClusterChannel(MemberConnection connection, MemberEvents events) {
    this.connection = connection;
    this.events = events;
  }

  @Override
  public CompletionStage<?> post(String topic, byte[] content, Duration ttl, String notice) {
    var value = new NumberWriter().put(Math.max(1, ttl.toMillis())).put(content).toByteArray();
    return connection
        .call(PartitionCall.Kind.PUT, name(topic), value)
        .thenAccept(stored -> connection.publish(topic, notice));
  }

  @Override
  public CompletionStage<Optional<byte[]>> read(String topic) {
    return connection
        .call(PartitionCall.Kind.GET, name(topic), new byte[0])
        .thenApply(reply -> {
          if (reply.length == 0) return Optional.empty();
          var in = new NumberReader(reply);
          in.next();
          return Optional.of(in.nextBytes());
        });
  }

  @Override
  public void listen(String topic, Consumer<String> listener) {
    events.listen(topic, listener);
  }

  private static String name(String topic) {
    return "{" + topic + "}" + SUFFIX;
  }
}
