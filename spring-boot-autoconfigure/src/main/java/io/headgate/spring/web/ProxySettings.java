package io.headgate.spring.web;

import io.headgate.http.TrustedProxies;
import io.headgate.spring.HeadgateProperties;

/** Creates the trusted proxies of an application. */
public final class ProxySettings {
  /**
   * Returns the proxies of the properties.
   *
   * @throws IllegalArgumentException if an address or header is not valid
   */
  public static TrustedProxies of(HeadgateProperties.Web web) {
    if (web.trustedProxies().isEmpty()) return TrustedProxies.NONE;
    var proxies = TrustedProxies.of(web.trustedProxies());
    return web.forwardedHeaders().isEmpty() ? proxies : proxies.withHeaders(web.forwardedHeaders());
  }

  private ProxySettings() {}
}
