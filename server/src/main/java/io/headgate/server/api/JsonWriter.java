package io.headgate.server.api;

import io.headgate.http.DecimalText;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Writes compact JSON in the order of the calls, as UTF-8, into an array. Control characters are
 * escaped, unpaired surrogates become U+FFFD, and decimals have at most three places. Texts of
 * printable ASCII, which almost all are, are copied; {@link EscapedText} encodes the others. Not
 * thread-safe.
 *
 * <p>Every method throws {@link IllegalStateException} if the calls do not form valid JSON.
 */
public final class JsonWriter {
  private static final int INITIAL_BYTES = 512; // enough for a decision
  private static final int MAX_DEPTH = Long.SIZE;
  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");
  private static final byte[] NULL = ascii("null");

  private byte[] bytes = new byte[INITIAL_BYTES];
  private int length;
  private int depth;
  private long objects; // bit d is set if the container at depth d + 1 is an object
  private boolean empty = true; // nothing has been written in the current container
  private boolean named; // the value of a member comes next

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Begins an object. */
  public JsonWriter begin() {
    return open('{', true);
  }

  /** Ends an object. */
  public JsonWriter end() {
    return close('}', true);
  }

  /** Begins an array. */
  public JsonWriter beginList() {
    return open('[', false);
  }

  /** Ends an array. */
  public JsonWriter endList() {
    return close(']', false);
  }

  private JsonWriter open(char bracket, boolean object) {
    beginValue();
    if (depth == MAX_DEPTH) throw new IllegalStateException("the JSON is too deeply nested");
    long bit = 1L << depth;
    objects = object ? objects | bit : objects & ~bit;
    depth++;
    empty = true;
    return append(bracket);
  }

  private JsonWriter close(char bracket, boolean object) {
    if (depth == 0 || named || isObject() != object) {
      throw new IllegalStateException("'%c' is not possible here".formatted(bracket));
    }
    depth--;
    empty = false;
    return append(bracket);
  }

  private boolean isObject() {
    return (objects >>> (depth - 1) & 1) != 0;
  }

  /** Writes the comma before a value, unless it is the first one or has a name. */
  private void beginValue() {
    if (named) {
      named = false;
      return;
    }
    if (depth == 0 ? !empty : isObject()) {
      throw new IllegalStateException("a value is not possible here");
    }
    separate();
  }

  private void beginName() {
    if (depth == 0 || named || !isObject()) {
      throw new IllegalStateException("a name is not possible here");
    }
    separate();
    named = true;
  }

  private void separate() {
    if (empty) empty = false;
    else append(',');
  }

  /** Writes the name of a member; its value comes next. */
  public JsonWriter name(String name) {
    beginName();
    return quote(name).append(':');
  }

  /** Writes the name of a member; its value comes next. */
  public JsonWriter name(JsonName name) {
    beginName();
    return append(name.bytes());
  }

  /** Writes a string. Control characters are escaped; unpaired surrogates become U+FFFD. */
  public JsonWriter value(String text) {
    beginValue();
    return quote(text);
  }

  /** Writes an integer. */
  public JsonWriter value(long number) {
    beginValue();
    reserve(DecimalText.MAX_LENGTH);
    length = DecimalText.write(number, bytes, length);
    return this;
  }

  /** Writes a number with at most three decimals; null if it is not finite. */
  public JsonWriter value(double number) {
    if (!Double.isFinite(number)) return nullValue();
    if (Math.abs(number) >= 1e15) return value((long) number);
    var rounded = BigDecimal.valueOf(Math.round(number * 1_000), 3).stripTrailingZeros();
    return json(rounded.toPlainString());
  }

  /** Writes a boolean. */
  public JsonWriter value(boolean flag) {
    beginValue();
    return append(flag ? TRUE : FALSE);
  }

  /** Writes an array of strings. */
  public JsonWriter value(List<String> texts) {
    beginList();
    for (var text : texts) value(text);
    return endList();
  }

  /** Writes an array of integers. */
  public JsonWriter value(long[] numbers) {
    beginList();
    for (long number : numbers) value(number);
    return endList();
  }

  /** Writes null. */
  public JsonWriter nullValue() {
    beginValue();
    return append(NULL);
  }

  /** Writes a member whose value is a string, or null if empty. */
  public JsonWriter textOrNull(String name, Optional<String> text) {
    name(name);
    return text.isPresent() ? value(text.get()) : nullValue();
  }

  /** Writes a value that is JSON already. */
  public JsonWriter json(String text) {
    beginValue();
    return append(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes a string member whose name may have any characters. */
  public JsonWriter member(String name, String text) {
    return name(name).value(text);
  }

  /** Appends a text in quotes. */
  private JsonWriter quote(String text) {
    int size = text.length();
    reserve(size + 2);
    var to = bytes;
    int at = length;
    to[at++] = '"';
    for (int i = 0; i < size; i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') return append(EscapedText.quoted(text));
      to[at++] = (byte) c;
    }
    to[at++] = '"';
    length = at;
    return this;
  }

  private JsonWriter append(char ascii) {
    reserve(1);
    bytes[length++] = (byte) ascii;
    return this;
  }

  private JsonWriter append(byte[] part) {
    reserve(part.length);
    System.arraycopy(part, 0, bytes, length, part.length);
    length += part.length;
    return this;
  }

  private void reserve(int more) {
    if (bytes.length - length < more) bytes = Arrays.copyOf(bytes, 2 * bytes.length + more);
  }

  /**
   * Returns the JSON in UTF-8, without a copy; nothing may be written after this call. An array
   * that has grown is cut to its content, since responses are accounted by their length.
   */
  public Buffer buffer() {
    if (bytes.length > INITIAL_BYTES) bytes = Arrays.copyOf(bytes, length);
    return BufferInternal.buffer(Unpooled.wrappedBuffer(bytes).writerIndex(length));
  }

  /** Returns the JSON written so far. */
  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
