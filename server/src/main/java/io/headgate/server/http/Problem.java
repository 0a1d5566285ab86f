package io.headgate.server.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;
import java.util.Optional;

/**
 * Why a request is not answered as asked, as RFC 9457 has it.
 *
 * @param field the part of the request that is at fault, such as {@code checks[3].cost}
 * @param detail what was given, what is allowed, and the way out
 * @param headers what the answer must carry beside the body
 */
record Problem(int status, Optional<String> field, String detail, Map<String, String> headers) {
  static final String MEDIA_TYPE = "application/problem+json";

  static Problem of(int status, String detail) {
    return new Problem(status, Optional.empty(), detail, Map.of());
  }

  static Problem of(int status, String field, String detail) {
    return new Problem(status, Optional.of(field), detail, Map.of());
  }

  Problem with(String header, String value) {
    return new Problem(status, field, detail, Map.of(header, value));
  }

  JsonOut json() {
    var out = new JsonOut().begin();
    out.name("type").value("about:blank");
    out.name("title").value(HttpResponseStatus.valueOf(status).reasonPhrase());
    out.name("status").value(status);
    out.name("detail").value(detail);
    field.ifPresent(name -> out.name("field").value(name));
    return out.end();
  }
}
