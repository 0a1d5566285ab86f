package io.headgate.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.security.Principal;

/** Authenticates the user that a header names. */
final class PrincipalFilter implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    var http = (HttpServletRequest) request;
    String user = http.getHeader("X-User");
    if (user == null) {
      chain.doFilter(request, response);
      return;
    }
    chain.doFilter(
        new HttpServletRequestWrapper(http) {
          @Override
          public Principal getUserPrincipal() {
            return () -> user;
          }
        },
        response);
  }
}
