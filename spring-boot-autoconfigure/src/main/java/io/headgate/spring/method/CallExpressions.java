package io.headgate.spring.method;

import io.headgate.http.RequestAttributes;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.spring.Limited;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The expressions of one annotated method, parsed. Thread-safe. */
final class CallExpressions {
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
  private static final Subject NO_ATTRIBUTES = Subject.of(Map.of());

  private final String method;
  private final Optional<Expression> key;
  private final Optional<Expression> cost;
  private final BeanFactoryResolver beans;

  /**
   * Parses the expressions.
   *
   * @throws org.springframework.expression.ParseException if one is not valid
   */
  CallExpressions(Limited limited, String method, BeanFactory beans) {
    this.method = method;
    this.key = parse(limited.key());
    this.cost = parse(limited.cost());
    this.beans = new BeanFactoryResolver(beans);
  }

  private static Optional<Expression> parse(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(PARSER.parseExpression(text));
  }

  boolean hasKey() {
    return key.isPresent();
  }

  /**
   * Evaluates the expressions for one call.
   *
   * @throws IllegalStateException if the key is null or the cost is not a number from 0; the call
   *     is not made, so that an error is never a way around a limit
   */
  Request request(MethodInvocation call) {
    if (key.isEmpty() && cost.isEmpty()) return Request.of(NO_ATTRIBUTES);
    var target = call.getThis();
    Method implementation = call.getMethod();
    var context =
        new MethodBasedEvaluationContext(
            target == null ? this : target, implementation, call.getArguments(), NAMES);
    context.setBeanResolver(beans);
    var subject = key.isEmpty() ? NO_ATTRIBUTES : subject(key.get().getValue(context));
    return Request.of(subject, cost.isEmpty() ? 1 : cost(cost.get().getValue(context)));
  }

  private Subject subject(@Nullable Object value) {
    return switch (value) {
      case null -> throw invalid("key", "is null");
      case Subject subject -> subject;
      case Map<?, ?> map -> {
        var attributes = new RequestAttributes();
        map.forEach((name, text) ->
            attributes.add(String.valueOf(name), text == null ? null : text.toString()));
        yield attributes.subject();
      }
      default -> {
        String text = value.toString();
        if (text.isEmpty()) throw invalid("key", "is empty");
        yield new RequestAttributes().add(Subject.KEY, text).subject();
      }
    };
  }

  private long cost(@Nullable Object value) {
    if (value instanceof Number number && number.longValue() >= 0) {
      return Math.min(number.longValue(), Request.MAX_COST);
    }
    throw invalid("cost", "must be a number from 0, got " + value);
  }

  private IllegalStateException invalid(String what, String problem) {
    return new IllegalStateException(
        "the %s of @Limited on %s %s".formatted(what, method, problem));
  }
}
