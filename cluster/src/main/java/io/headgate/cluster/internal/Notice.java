package io.headgate.cluster.internal;

import com.tangosol.net.Invocable;
import com.tangosol.net.InvocationService;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import org.jspecify.annotations.Nullable;

/**
 * A message to all members. {@link WireSerializer} encodes it; Java serialization is refused.
 *
 * <p>Its fields are a kind and the bytes of that kind.
 */
@SuppressWarnings("serial") // refused
final class Notice implements Invocable {
  /** What a notice is about. */
  enum Kind {
    /** A counter was reset; the content is its name. */
    RESET(0),
    /** Permits of a counter were returned early; the content is its name. */
    RETURNED(1),
    /** The sender leaves the cluster in order. */
    LEAVING(2),
    /** A message of a topic; the content is the name of the topic and the text. */
    MESSAGE(3),
    /** What the sender knows of the voters; the content is its node and its statement. */
    VOTERS(4);

    private final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  private final transient Kind kind;
  private final transient byte[] content;

  Notice(Kind kind, byte[] content) {
    this.kind = kind;
    this.content = content;
  }

  byte[] encode() {
    return new NumberWriter().put(BatchProcessor.VERSION).put(kind.code).put(content).toByteArray();
  }

  static Notice decode(byte[] bytes) {
    var in = new NumberReader(bytes);
    long version = in.next();
    if (version != BatchProcessor.VERSION) {
      throw new IllegalArgumentException("a notice of format %d".formatted(version));
    }
    var notice = new Notice(kindOf(in.count()), in.nextBytes());
    in.end();
    return notice;
  }

  private static Kind kindOf(int code) {
    for (var kind : Kind.values()) {
      if (kind.code == code) return kind;
    }
    throw new IllegalArgumentException("unknown kind of a notice: " + code);
  }

  @Override
  public void init(InvocationService service) {}

  /** Runs on every member, on the thread of the grid's service. */
  @Override
  public void run() {
    GridNode.received(kind, content);
  }

  @Override
  @SuppressWarnings("NullAway") // the grid's interfaces are not annotated
  public @Nullable Object getResult() {
    return null;
  }

  private Object writeReplace() {
    throw new UnsupportedOperationException("encoded by WireSerializer only");
  }
}
