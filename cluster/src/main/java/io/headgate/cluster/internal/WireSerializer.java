package io.headgate.cluster.internal;

import com.tangosol.io.ReadBuffer.BufferInput;
import com.tangosol.io.Serializer;
import com.tangosol.io.WriteBuffer.BufferOutput;
import com.tangosol.net.partition.PartitionSet;
import com.tangosol.run.xml.SimpleElement;
import com.tangosol.util.Binary;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The wire format of the store's services: a tag and the bytes of a value, out of a fixed set of
 * types. No class is named, so that no message can make a member load or create any other. Values
 * of other types can't be sent: the grid then ends the service of the member that sends, so the set
 * has every type that the grid itself sends. A failure is sent as its message. Thread-safe.
 */
public final class WireSerializer implements Serializer {
  private static final int NULL = 0;
  private static final int KEY = 1;
  private static final int BYTES = 2;
  private static final int PROCESSOR = 3;
  private static final int NOTICE = 4;
  private static final int FAILURE = 5;
  private static final int NUMBER = 6;
  private static final int TEXT = 7;
  private static final int TRUE = 8;
  private static final int FALSE = 9;
  private static final int INTEGER = 10;
  private static final int CHARACTER = 11;
  private static final int ELEMENT = 12;
  private static final int BINARY = 13;
  private static final int MAP = 14;
  private static final int LIST = 15;
  private static final int SET = 16;
  private static final int PARTITIONS = 17;
  private static final int ARRAY = 18;
  private static final int NUMBERS = 19;

  private static final int MAX_BYTES = 64 << 20;
  private static final int MAX_DEPTH = 8;

  /** Creates a serializer; the grid does so. */
  public WireSerializer() {}

  @Override
  public void serialize(BufferOutput out, @Nullable Object value) throws IOException {
    switch (value) {
      case null -> out.writeByte(NULL);
      case EntryKey key ->
          write(out, KEY, new NumberWriter().put(key.partition()).put(key.name()).toByteArray());
      case byte[] bytes -> write(out, BYTES, bytes);
      case BatchProcessor processor -> write(out, PROCESSOR, processor.encode());
      case Notice notice -> write(out, NOTICE, notice.encode());
      case Throwable failure ->
          write(out, FAILURE, new NumberWriter().put(String.valueOf(failure)).toByteArray());
      case Long number -> write(out, NUMBER, new NumberWriter().put(number).toByteArray());
      case long[] numbers -> // the ids of caches, which the oldest member gives to one that joins
          write(out, NUMBERS, new NumberWriter().putAll(numbers).toByteArray());
      case Integer number -> write(out, INTEGER, new NumberWriter().put(number).toByteArray());
      case String text -> write(out, TEXT, new NumberWriter().put(text).toByteArray());
      case Character letter -> {
        out.writeByte(CHARACTER);
        out.writeChar(letter);
      }
      case SimpleElement element -> {
        out.writeByte(ELEMENT); // how members agree on the configuration of a cache
        element.writeExternal(out);
      }
      case Binary binary -> write(out, BINARY, binary.toByteArray());
      case PartitionSet partitions -> {
        out.writeByte(PARTITIONS);
        partitions.writeExternal(out);
      }
      case Map<?, ?> map -> {
        out.writeByte(MAP);
        out.writePackedInt(map.size());
        for (var entry : map.entrySet()) {
          serialize(out, entry.getKey());
          serialize(out, entry.getValue());
        }
      }
      case Set<?> set -> writeAll(out, SET, set);
      case Collection<?> list -> writeAll(out, LIST, list);
      case Object[] array -> writeAll(out, ARRAY, Arrays.asList(array));
      case Boolean truth -> out.writeByte(truth ? TRUE : FALSE);
      default -> throw new IOException("the wire format has no " + value.getClass().getName());
    }
  }

  private static void write(BufferOutput out, int tag, byte[] bytes) throws IOException {
    out.writeByte(tag);
    out.writePackedInt(bytes.length);
    out.write(bytes);
  }

  private void writeAll(BufferOutput out, int tag, Collection<?> all) throws IOException {
    out.writeByte(tag);
    out.writePackedInt(all.size());
    for (var each : all) serialize(out, each);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> T deserialize(BufferInput in, Class<? extends T> type) throws IOException {
    return (T) read(in, 0);
  }

  @Override
  public Object deserialize(BufferInput in) throws IOException {
    return read(in, 0);
  }

  @SuppressWarnings("NullAway") // the grid's interfaces are not annotated
  private static Object read(BufferInput in, int depth) throws IOException {
    int tag = in.readUnsignedByte();
    if (tag == NULL) return null;
    if (tag == TRUE || tag == FALSE) return tag == TRUE;
    if (tag == CHARACTER) return in.readChar();
    if (tag == ELEMENT) return readElement(in);
    if (tag == PARTITIONS) return readPartitions(in);
    if (tag == MAP) return readMap(in, depth);
    if (tag == SET) return new HashSet<>(readAll(in, depth));
    if (tag == LIST) return readAll(in, depth);
    if (tag == ARRAY) return readAll(in, depth).toArray();
    int length = in.readPackedInt();
    if (length < 0 || length > MAX_BYTES || length > in.available()) {
      throw new IOException("a value of %d bytes".formatted(length));
    }
    var bytes = new byte[length];
    in.readFully(bytes);
    try {
      return decode(tag, bytes);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new IOException("a malformed message of a member: " + e.getMessage(), e);
    }
  }

  private static Object readElement(BufferInput in) throws IOException {
    var element = new SimpleElement();
    element.readExternal(in);
    return element;
  }

  private static Object readPartitions(BufferInput in) throws IOException {
    var partitions = new PartitionSet();
    partitions.readExternal(in);
    return partitions;
  }

  private static Object readMap(BufferInput in, int depth) throws IOException {
    int size = readSize(in, depth);
    var map = new HashMap<Object, Object>();
    for (int i = 0; i < size; i++) map.put(read(in, depth + 1), read(in, depth + 1));
    return map;
  }

  private static List<Object> readAll(BufferInput in, int depth) throws IOException {
    int size = readSize(in, depth);
    var all = new ArrayList<Object>();
    for (int i = 0; i < size; i++) all.add(read(in, depth + 1));
    return all;
  }

  private static int readSize(BufferInput in, int depth) throws IOException {
    int size = in.readPackedInt();
    if (size < 0 || size > in.available() || depth > MAX_DEPTH) {
      throw new IOException("a collection of %d in %d others".formatted(size, depth));
    }
    return size;
  }

  private static Object decode(int tag, byte[] bytes) throws IOException {
    var numbers = new NumberReader(bytes);
    return switch (tag) {
      case KEY -> new EntryKey(Math.toIntExact(numbers.next()), numbers.text());
      case BYTES -> bytes;
      case BINARY -> new Binary(bytes);
      case PROCESSOR -> BatchProcessor.decode(bytes);
      case NOTICE -> Notice.decode(bytes);
      case FAILURE -> new MemberFailureException(numbers.text());
      case NUMBER -> numbers.next();
      case NUMBERS -> numbers.nextAll();
      case INTEGER -> Math.toIntExact(numbers.next());
      case TEXT -> numbers.text();
      default -> throw new IOException("unknown tag of a value: " + tag);
    };
  }

  @Override
  public String getName() {
    return "headgate";
  }
}
