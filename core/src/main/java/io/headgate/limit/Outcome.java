package io.headgate.limit;

/** The outcome of one limit for one request. Times are in microseconds from the request's time. */
public sealed interface Outcome {
  /** Returns the permits that are available now, after this request's charge if it passed. */
  long remaining();

  /** Returns the time until the counter is unused again if no further request arrives. */
  long resetAfter();

  /**
   * Returns the number of permits of the limit at the time of the request, if the limit follows the
   * load; 0 if it is constant, and the {@linkplain Limit#capacity capacity} applies.
   */
  long limit();

  /** The request is within the limit and goes ahead after {@code delay}; 0 unless it is queued. */
  record Passed(long remaining, long resetAfter, long delay, long limit) implements Outcome {
    /** Creates the outcome of a constant limit. */
    public Passed(long remaining, long resetAfter, long delay) {
      this(remaining, resetAfter, delay, 0);
    }
  }

  /**
   * The request exceeds the limit now. It passes after {@code retryAfter}, and not a microsecond
   * earlier, if no other request is charged. Under a limit that is shared fairly it may pass
   * earlier.
   *
   * @param certainFor the time for which the request is refused whatever else happens, unless
   *     permits are returned early; at most {@code retryAfter}, and less only under a limit that is
   *     shared fairly
   */
  record Refused(long remaining, long resetAfter, long retryAfter, long limit, long certainFor)
      implements Outcome {
    /** Creates a refusal that is certain until its retry time. */
    public Refused(long remaining, long resetAfter, long retryAfter, long limit) {
      this(remaining, resetAfter, retryAfter, limit, retryAfter);
    }

    /** Creates a refusal of a constant limit that is certain until its retry time. */
    public Refused(long remaining, long resetAfter, long retryAfter) {
      this(remaining, resetAfter, retryAfter, 0);
    }

    /** Returns this refusal, certain for another time. */
    public Refused withCertainFor(long certainFor) {
      return new Refused(remaining, resetAfter, retryAfter, limit, certainFor);
    }
  }

  /** The cost exceeds the capacity of the limit, so the request never passes. */
  record ExceedsCapacity(long remaining, long resetAfter, long cost, long capacity, long limit)
      implements Outcome {
    /** Creates the outcome of a constant limit. */
    public ExceedsCapacity(long remaining, long resetAfter, long cost, long capacity) {
      this(remaining, resetAfter, cost, capacity, 0);
    }
  }
}
