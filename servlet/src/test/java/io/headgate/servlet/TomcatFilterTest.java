package io.headgate.servlet;

class TomcatFilterTest extends FilterContract {
  TomcatFilterTest() {
    super(TomcatServer::start);
  }
}
