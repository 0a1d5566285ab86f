package io.headgate.servlet;

import io.headgate.http.ClientAddress;
import io.headgate.http.RequestAttributes;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The default mapping of an HTTP request to a subject, with a cost of 1.
 *
 * <table>
 * <caption>Attributes</caption>
 * <tr><th>attribute</th><th>value</th></tr>
 * <tr><td>{@code user}</td><td>the name of the principal, if the request is authenticated</td></tr>
 * <tr><td>{@code ip}</td><td>the address of the client, behind {@link TrustedProxies}</td></tr>
 * <tr><td>{@code method}</td><td>the HTTP method</td></tr>
 * <tr><td>{@code path}</td><td>the path by which the container selects the servlet, with the
 * context path</td></tr>
 * <tr><td>any other</td><td>of a header or a function, as configured</td></tr>
 * </table>
 *
 * <p>Counters of an IPv6 address are those of its /64 network. Immutable.
 */
public final class DefaultSubjectResolver implements SubjectResolver {
  /** The attributes that no header or function may set. */
  private static final List<String> RESERVED = List.of("user", "ip", "method", "path");

  private final TrustedProxies proxies;
  private final String[] names;
  private final Function<HttpServletRequest, @Nullable String>[] values;

  private DefaultSubjectResolver(Builder builder) {
    this.proxies = builder.proxies;
    this.names = builder.attributes.keySet().toArray(String[]::new);
    @SuppressWarnings({"unchecked", "rawtypes"})
    Function<HttpServletRequest, @Nullable String>[] functions =
        builder.attributes.values().toArray(new Function[0]);
    this.values = functions;
  }

  /** Returns a resolver that trusts no proxy and reads no headers. */
  public static DefaultSubjectResolver create() {
    return builder().build();
  }

  /** Starts a resolver that trusts no proxy and reads no headers. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the subject of the request.
   *
   * @throws io.headgate.http.AmbiguousPathException if the container and a framework in it may read
   *     the path in different ways
   */
  @Override
  public Request resolve(HttpServletRequest request) {
    var attributes = new RequestAttributes();
    var principal = request.getUserPrincipal();
    if (principal != null) attributes.add("user", principal.getName());
    attributes.add("ip", address(request));
    attributes.add("method", request.getMethod());
    attributes.add("path", RoutedPath.of(request));
    for (int i = 0; i < names.length; i++) attributes.add(names[i], values[i].apply(request));
    return Request.of(attributes.subject());
  }

  private String address(HttpServletRequest request) {
    String peer = request.getRemoteAddr();
    if (proxies == TrustedProxies.NONE && isPlain(peer)) return peer;
    return proxies.caller(ClientAddress.ofPeer(peer), name -> lines(request, name)).toString();
  }

  /** Returns whether the text is a dotted quad, which needs no canonical form. */
  private static boolean isPlain(@Nullable String peer) {
    return peer != null && !peer.isEmpty() && peer.indexOf(':') < 0 && peer.indexOf('/') < 0;
  }

  private static List<String> lines(HttpServletRequest request, String name) {
    var lines = request.getHeaders(name);
    return lines == null ? List.of() : Collections.list(lines);
  }

  /** Builds a resolver. Not thread-safe. */
  public static final class Builder {
    private TrustedProxies proxies = TrustedProxies.NONE;
    private final Map<String, Function<HttpServletRequest, @Nullable String>> attributes =
        new LinkedHashMap<>();

    private Builder() {}

    /** Sets the proxies whose forwarding headers are evaluated. */
    public Builder trustedProxies(TrustedProxies proxies) {
      this.proxies = proxies;
      return this;
    }

    /** Adds the value of a header as an attribute with the name of the header in lower case. */
    public Builder header(String header) {
      return header(header, header.toLowerCase(Locale.ROOT));
    }

    /**
     * Adds the value of a header as an attribute. Several lines of the header make one value,
     * joined by commas, so that a client gains nothing by sending it twice.
     *
     * @throws IllegalArgumentException if the attribute is set already
     */
    public Builder header(String header, String attribute) {
      return attribute(
          attribute,
          request -> {
            var lines = lines(request, header);
            return lines.size() == 1 ? lines.getFirst() : String.join(",", lines);
          });
    }

    /**
     * Adds an attribute.
     *
     * @param value returns the value; null or empty if the request has none
     * @throws IllegalArgumentException if the attribute is set already
     */
    public Builder attribute(String name, Function<HttpServletRequest, @Nullable String> value) {
      if (RESERVED.contains(name) || attributes.containsKey(name)) {
        throw new IllegalArgumentException(
            "attribute '%s' is set already; choose another name".formatted(name));
      }
      Subject.of(name, "-"); // validates the name
      attributes.put(name, value);
      return this;
    }

    /**
     * Creates the resolver.
     *
     * @throws IllegalArgumentException if there are too many attributes
     */
    public DefaultSubjectResolver build() {
      int max = Subject.MAX_ATTRIBUTES - RESERVED.size();
      if (attributes.size() > max) {
        throw new IllegalArgumentException(
            "a subject may have %d further attributes, got %d: %s"
                .formatted(max, attributes.size(), new ArrayList<>(attributes.keySet())));
      }
      return new DefaultSubjectResolver(this);
    }
  }
}
