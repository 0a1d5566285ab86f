/**
 * The client of a Headgate service, {@link io.headgate.client.HeadgateClient}, and an HTTP client
 * that stays below the limits of other services, {@link
 * io.headgate.client.outbound.LimitedHttpClient}.
 */
module io.headgate.client {
  requires static transitive org.jspecify;
  requires transitive io.headgate.core;
  requires transitive java.net.http;
  requires com.fasterxml.jackson.core;

  exports io.headgate.client;
  exports io.headgate.client.outbound;
}
