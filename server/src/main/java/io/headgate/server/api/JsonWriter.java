package io.headgate.server.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.headgate.http.TextSyntax;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Writes compact JSON in the order of the calls, as UTF-8, through Jackson's generator. Adds what
 * the replies of the service have in common: control characters are escaped, unpaired surrogates
 * become U+FFFD, and decimals have at most three places. Not thread-safe.
 *
 * <p>Every method throws {@link UncheckedIOException} if the calls do not form valid JSON.
 */
public final class JsonWriter {
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .characterEscapes(new ControlEscapes())
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .build();

  private static final int INITIAL_BYTES = 512; // enough for a decision

  private final ByteBuf bytes = Unpooled.buffer(INITIAL_BYTES);
  private final JsonGenerator out;

  public JsonWriter() {
    try {
      out = FACTORY.createGenerator((OutputStream) new ByteBufOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A call of the generator. It writes to memory, so it fails only if it may not come next. */
  private interface Step {
    void run() throws IOException;
  }

  private JsonWriter write(Step step) {
    try {
      step.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** Begins an object. */
  public JsonWriter begin() {
    return write(out::writeStartObject);
  }

  /** Ends an object. */
  public JsonWriter end() {
    return write(out::writeEndObject).closeAtRoot();
  }

  /** Begins an array. */
  public JsonWriter beginList() {
    return write(out::writeStartArray);
  }

  /** Ends an array. */
  public JsonWriter endList() {
    return write(out::writeEndArray).closeAtRoot();
  }

  /** Returns the generator's buffers to its pool once the JSON is complete. */
  private JsonWriter closeAtRoot() {
    return out.getOutputContext().inRoot() ? write(out::close) : this;
  }

  /** Writes the name of a member; its value comes next. */
  public JsonWriter name(String name) {
    return write(() -> out.writeFieldName(name));
  }

  /** Writes a string. Control characters are escaped; unpaired surrogates become U+FFFD. */
  public JsonWriter value(String text) {
    return write(() -> out.writeString(wellFormed(text)));
  }

  /** Writes an integer. */
  public JsonWriter value(long number) {
    return write(() -> out.writeNumber(number));
  }

  /** Writes a number with at most three decimals; null if it is not finite. */
  public JsonWriter value(double number) {
    if (!Double.isFinite(number)) return nullValue();
    if (Math.abs(number) >= 1e15) return value((long) number);
    var rounded = BigDecimal.valueOf(Math.round(number * 1_000), 3).stripTrailingZeros();
    return write(() -> out.writeNumber(rounded.toPlainString()));
  }

  /** Writes a boolean. */
  public JsonWriter value(boolean flag) {
    return write(() -> out.writeBoolean(flag));
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
    return write(out::writeNull);
  }

  /** Writes a member whose value is a string, or null if empty. */
  public JsonWriter textOrNull(String name, Optional<String> text) {
    name(name);
    return text.isPresent() ? value(text.get()) : nullValue();
  }

  /** Writes a value that is JSON already. */
  public JsonWriter json(String text) {
    return write(() -> out.writeRawValue(text));
  }

  /** Writes a string member whose name may have any characters. */
  public JsonWriter member(String name, String text) {
    return name(wellFormed(name)).value(text);
  }

  private static String wellFormed(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (TextSyntax.isLoneSurrogate(text, i)) return withoutLoneSurrogates(text);
    }
    return text;
  }

  private static String withoutLoneSurrogates(String text) {
    var fixed = new StringBuilder(text);
    for (int i = 0; i < text.length(); i++) {
      if (TextSyntax.isLoneSurrogate(text, i)) fixed.setCharAt(i, '\ufffd');
    }
    return fixed.toString();
  }

  /**
   * Returns the JSON in UTF-8, without a copy; nothing may be written after this call. A buffer
   * that has grown is cut to its content, since responses are accounted by their length.
   */
  public Buffer buffer() {
    write(out::flush);
    if (bytes.capacity() > INITIAL_BYTES) bytes.capacity(bytes.readableBytes());
    return BufferInternal.buffer(bytes);
  }

  /** Returns the JSON written so far. */
  @Override
  public String toString() {
    write(out::flush);
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
