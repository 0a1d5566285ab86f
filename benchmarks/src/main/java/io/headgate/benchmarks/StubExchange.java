package io.headgate.benchmarks;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.lang.reflect.Proxy;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/**
 * A servlet request and response that cost nothing, in place of a container. Methods that the
 * filter does not call throw.
 */
final class StubExchange implements FilterChain {
  private final HttpServletRequest request = new StubRequest();
  private final HttpServletResponse response = new StubResponse();
  private long passed;

  HttpServletRequest request() {
    return request;
  }

  HttpServletResponse response() {
    return response;
  }

  /** Returns how many requests have passed. */
  long passed() {
    return passed;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response) {
    passed++;
  }

  private static <T> T unsupported(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.toString());
            }));
  }

  private static final class StubRequest extends HttpServletRequestWrapper {
    StubRequest() {
      super(unsupported(HttpServletRequest.class));
    }

    @Override
    public DispatcherType getDispatcherType() {
      return DispatcherType.REQUEST;
    }

    @Override
    public String getMethod() {
      return "GET";
    }

    @Override
    public String getRequestURI() {
      return "/products/42";
    }

    @Override
    public String getContextPath() {
      return "";
    }

    @Override
    public String getServletPath() {
      return "/products/42";
    }

    @Override
    public @Nullable String getPathInfo() {
      return null;
    }

    @Override
    public String getRemoteAddr() {
      return "192.0.2.1";
    }

    @Override
    public @Nullable Principal getUserPrincipal() {
      return null;
    }

    @Override
    public @Nullable String getHeader(String name) {
      return null;
    }
  }

  private static final class StubResponse extends HttpServletResponseWrapper {
    StubResponse() {
      super(unsupported(HttpServletResponse.class));
    }

    @Override
    public void setHeader(String name, String value) {}
  }
}
