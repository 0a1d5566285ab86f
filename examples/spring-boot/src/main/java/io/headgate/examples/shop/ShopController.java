package io.headgate.examples.shop;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Handles the requests of the shop. */
@RestController
public class ShopController {
  private final Invoices invoices;

  /** Creates the controller. */
  public ShopController(Invoices invoices) {
    this.invoices = invoices;
  }

  /** Lists the products. */
  @GetMapping("/products")
  public String products() {
    return "apples, pears";
  }

  /** Creates an invoice. */
  @PostMapping("/customers/{customer}/invoices")
  public String invoice(@PathVariable String customer) {
    return invoices.create(customer);
  }

  /** Sends an invoice. */
  @PostMapping("/customers/{customer}/mails")
  public String mail(@PathVariable String customer) {
    return invoices.send(customer);
  }
}
