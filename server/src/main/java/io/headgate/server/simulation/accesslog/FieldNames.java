package io.headgate.server.simulation.accesslog;

import java.util.List;
import java.util.Map;

/** The names of fields, with their aliases in common log formats. */
final class FieldNames {
  /** Aliases of each field, most likely first. */
  private static final Map<String, List<String>> ALIASES =
      Map.of(
          "ip",
          List.of(
              "client_ip",
              "clientip",
              "remote_addr",
              "remote_ip",
              "clientIp",
              "client",
              "ClientHost",
              "request.client_ip",
              "request.remote_ip",
              "source_ip",
              "src_ip",
              "x_forwarded_for",
              "remoteIp",
              "httpRequest.remoteIp",
              "client.ip"),
          "user",
          List.of(
              "remote_user",
              "user_id",
              "userId",
              "username",
              "ClientUsername",
              "request.user_id",
              "user.id",
              "user.name"),
          "method",
          List.of(
              "request_method",
              "verb",
              "RequestMethod",
              "request.method",
              "http_method",
              "httpRequest.requestMethod",
              "http.request.method"),
          "path",
          List.of(
              "uri",
              "request_uri",
              "url",
              "RequestPath",
              "request.uri",
              "request_path",
              "httpRequest.requestUrl",
              "url.path"),
          "user-agent",
          List.of(
              "user_agent",
              "http_user_agent",
              "userAgent",
              "agent",
              "request_User-Agent",
              "request.headers.User-Agent",
              "httpRequest.userAgent",
              "user_agent.original"),
          "referer",
          List.of(
              "http_referer",
              "referrer",
              "http_referrer",
              "request_Referer",
              "request.headers.Referer",
              "httpRequest.referer"),
          "host",
          List.of("http_host", "server_name", "vhost", "RequestHost", "request.host"),
          "status",
          List.of("status_code", "statusCode", "DownstreamStatus", "code", "response"),
          "bytes",
          List.of(
              "body_bytes_sent", "bytes_sent", "size", "DownstreamContentSize", "response_size"),
          "protocol",
          List.of("server_protocol", "proto", "request.proto", "RequestProtocol"));

  /** Returns the aliases of a field, most likely first. */
  static List<String> aliases(String name) {
    return ALIASES.getOrDefault(name, List.of());
  }

  private FieldNames() {}
}
