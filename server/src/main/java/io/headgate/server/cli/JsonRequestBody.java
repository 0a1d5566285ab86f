package io.headgate.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;

/** Builds the JSON body of a request to the service. */
final class JsonRequestBody {
  /** Writes further fields of the object. */
  interface Fields {
    void write(JsonGenerator out) throws IOException;
  }

  /** Returns an object with a subject and further fields. */
  static String of(Map<String, String> subject, Fields more) {
    var text = new StringWriter();
    try (var out = new JsonFactory().createGenerator(text)) {
      out.writeStartObject();
      out.writeObjectFieldStart("subject");
      for (var attribute : subject.entrySet()) {
        out.writeStringField(attribute.getKey(), attribute.getValue());
      }
      out.writeEndObject();
      more.write(out);
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private JsonRequestBody() {}
}
