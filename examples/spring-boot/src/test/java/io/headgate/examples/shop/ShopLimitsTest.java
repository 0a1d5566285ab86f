package io.headgate.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.test.AutoConfigureHeadgate;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@WebMvcTest(ShopController.class)
@AutoConfigureHeadgate
@Import(Invoices.class)
class ShopLimitsTest {
  @Autowired private MockMvcTester mvc;

  @Test
  void thirdMailOfACustomerIsNotSent() {
    assertThat(mvc.post().uri("/customers/ann/mails")).hasBodyTextEqualTo("sent to ann");
    assertThat(mvc.post().uri("/customers/ann/mails")).hasBodyTextEqualTo("sent to ann");
    assertThat(mvc.post().uri("/customers/ann/mails")).bodyText().startsWith("not sent to ann");
  }
}
