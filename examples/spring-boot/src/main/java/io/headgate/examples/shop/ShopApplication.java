package io.headgate.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the shop. */
@SpringBootApplication
public class ShopApplication {
  /** Creates the application. */
  public ShopApplication() {}

  /** Starts the shop on port 8080. */
  public static void main(String[] args) {
    SpringApplication.run(ShopApplication.class, args);
  }
}
