package io.headgate.spring.mvc;

import io.headgate.http.DenialProblem;
import io.headgate.http.RateLimitFields;
import io.headgate.spring.LimitExceededException;
import io.headgate.store.Ticker;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Maps {@link LimitExceededException} to the response to a denied request, unless the application
 * has an exception handler of its own.
 */
final class LimitExceededResolver implements HandlerExceptionResolver, Ordered {
  private static final Log LOG = LogFactory.getLog(LimitExceededResolver.class);

  private final RateLimitFields fields = new RateLimitFields(Ticker.system());

  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception exception) {
    if (!(exception instanceof LimitExceededException exceeded) || response.isCommitted()) {
      return null;
    }
    var problem = DenialProblem.of(exceeded.result());
    var body = problem.json().getBytes(StandardCharsets.UTF_8);
    response.resetBuffer();
    fields.write(
        exceeded.result(),
        0,
        (field, value) -> response.setHeader(field.field(), value.toString()));
    response.setStatus(problem.status());
    response.setContentType(DenialProblem.MEDIA_TYPE);
    response.setContentLength(body.length);
    try {
      response.getOutputStream().write(body);
    } catch (IOException e) {
      LOG.debug("The response to a denied call could not be written", e);
    }
    return new ModelAndView();
  }
}
