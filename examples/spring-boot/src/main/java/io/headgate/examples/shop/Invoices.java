package io.headgate.examples.shop;

import io.headgate.spring.LimitExceededException;
import io.headgate.spring.Limited;
import org.springframework.stereotype.Service;

/** Creates invoices. */
@Service
public class Invoices {
  /** Creates the service. */
  public Invoices() {}

  /** Creates an invoice, at most five an hour for each customer. */
  @Limited(rule = "invoices", key = "#customer")
  public String create(String customer) {
    return "invoice for " + customer;
  }

  /** Sends an invoice; returns why it is not sent if the customer has exhausted its limit. */
  @Limited(rule = "2/1m", key = "#customer", fallback = "tooMany")
  public String send(String customer) {
    return "sent to " + customer;
  }

  String tooMany(String customer, LimitExceededException denial) {
    return "not sent to "
        + customer
        + ", retry in "
        + denial.retryAfter().orElseThrow().toSeconds()
        + " s";
  }
}
