package io.headgate.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.time.Instant;
import java.util.LinkedHashMap;

/**
 * A logback encoder that writes each event as a {@link JsonLogLine}. The key-value pairs of an
 * event are its further fields, and {@code error} is the stack trace of its exception.
 */
public final class JsonLogEncoder extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    var fields = new LinkedHashMap<String, Object>();
    var pairs = event.getKeyValuePairs();
    if (pairs != null) for (var pair : pairs) fields.put(pair.key, pair.value);
    var thrown = event.getThrowableProxy();
    if (thrown != null) fields.put("error", ThrowableProxyUtil.asString(thrown));
    String line =
        JsonLogLine.of(
            Instant.ofEpochMilli(event.getTimeStamp()),
            event.getLevel().toString(),
            event.getLoggerName(),
            event.getFormattedMessage(),
            fields);
    return (line + "\n").getBytes(UTF_8);
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }
}
