package io.headgate.servlet;

import io.headgate.rule.Request;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Maps an HTTP request to the request that the limiter decides. Called once for each HTTP request,
 * on its thread, so implementations must be thread-safe.
 *
 * <p>An exception fails the HTTP request, so that an error is never a way around a limit.
 */
@FunctionalInterface
public interface SubjectResolver {
  /** Returns the request to decide; null to let the HTTP request pass without a check. */
  @Nullable Request resolve(HttpServletRequest request);
}
