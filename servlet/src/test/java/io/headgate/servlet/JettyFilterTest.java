package io.headgate.servlet;

class JettyFilterTest extends FilterContract {
  JettyFilterTest() {
    super(JettyServer::start);
  }
}
