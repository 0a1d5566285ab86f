package io.headgate.rule;

/**
 * Thrown for costs that the rules can't account for: one that a rule requires is missing, or one
 * that is reported for a reservation is not among its costs. Nothing was charged.
 */
public final class InvalidCostException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /** The name of the cost. */
  private final String cost;

  /**
   * Creates an exception.
   *
   * @param cost the name of the cost
   * @param message what is wrong, and what to do
   */
  public InvalidCostException(String cost, String message) {
    super(message);
    this.cost = cost;
  }

  /** Returns the name of the cost. */
  public String cost() {
    return cost;
  }
}
