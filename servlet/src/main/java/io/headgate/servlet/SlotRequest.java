package io.headgate.servlet;

import io.headgate.http.HeldSlots;
import io.headgate.http.RequestOutcome;
import io.headgate.load.CallOutcome;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * A request that holds concurrency slots. Releases them when the request ends: when the filter
 * chain returns or, if the request became asynchronous, when that is complete.
 *
 * <p>The listener is registered at the start of the asynchronous phase. Later, the phase may have
 * ended already, or may continue in a dispatch that does not pass the filter.
 */
final class SlotRequest extends HttpServletRequestWrapper implements AsyncListener {
  private final HeldSlots slots;
  private final HttpServletResponse response;
  private volatile boolean asynchronous;
  private volatile @Nullable CallOutcome failure;

  SlotRequest(HttpServletRequest request, HttpServletResponse response, HeldSlots slots) {
    super(request);
    this.response = response;
    this.slots = slots;
  }

  @Override
  public AsyncContext startAsync() {
    return listened(super.startAsync());
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    return listened(super.startAsync(request, response));
  }

  private AsyncContext listened(AsyncContext context) {
    asynchronous = true;
    context.addListener(this);
    return context;
  }

  /** Releases the slots unless the request is asynchronous. */
  void returned() {
    if (!asynchronous) slots.release(RequestOutcome.ofStatus(response.getStatus()));
  }

  /** Releases the slots of a request that failed, unless it is asynchronous. */
  void failed(Throwable problem) {
    if (!asynchronous) slots.release(outcome(problem));
  }

  /** Not blocking, since a container may call it on a thread that must not wait for a store. */
  @Override
  public void onComplete(AsyncEvent event) {
    var outcome = failure;
    slots.releaseAsync(outcome == null ? RequestOutcome.ofStatus(response.getStatus()) : outcome);
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    failure = CallOutcome.DROPPED;
  }

  @Override
  public void onError(AsyncEvent event) {
    var problem = event.getThrowable();
    failure = problem == null ? CallOutcome.ERROR : outcome(problem);
  }

  /** A new asynchronous phase has no listeners of the previous one. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }

  private static CallOutcome outcome(Throwable problem) {
    var cause = problem instanceof ServletException wrapper ? wrapper.getRootCause() : null;
    return RequestOutcome.ofException(cause == null ? problem : cause);
  }
}
