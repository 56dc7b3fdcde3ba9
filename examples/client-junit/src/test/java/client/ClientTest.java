package client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientTest {
  private static Service service;

  @BeforeAll
  static void start() throws IOException {
    service = new Service();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    service.close();
  }

  @BeforeEach
  void reset() {
    service.control("POST", "reset", "");
    service.control(
        "POST",
        "seed",
        """
        {"objects": [{"$id": "doc-1", "$softType": "Document", "data": {"title": "First"}, "version": 3}]}
        """);
  }

  @Test
  void renamesADocumentThatSomebodyElseEditedMeanwhile() throws Exception {
    Client mine = new Client(service.url, () -> service.token("{\"identity\":\"editor\"}"));
    Client theirs = new Client(service.url, () -> service.token("{\"identity\":\"secondEditor\"}"));
    Client.Document read = mine.read("doc-1");
    theirs.rename(read, "Theirs", 1);

    mine.rename(read, "Mine", 3);

    assertEquals(new Client.Document("doc-1", "Mine", 5), mine.read("doc-1"));
  }

  @Test
  void givesUpWhenItMayNotTryAgain() throws Exception {
    Client client = new Client(service.url, () -> service.token("{\"identity\":\"editor\"}"));
    Client.Document stale = client.read("doc-1");
    client.rename(stale, "Once", 1);
    var refused = assertThrows(Client.StatusException.class, () -> client.rename(stale, "Twice", 1));
    assertEquals(409, refused.status);
  }

  @Test
  void logsInAgainWhenItsTokenHasRunOut() throws Exception {
    AtomicInteger logIns = new AtomicInteger();
    Client client =
        new Client(
            service.url,
            () -> {
              logIns.incrementAndGet();
              return service.token("{\"identity\":\"editor\",\"lifetimeSeconds\":60}");
            });
    client.read("doc-1");
    service.control("POST", "clock", "{\"by\":61000}");
    assertEquals("First", client.read("doc-1").title());
    assertEquals(2, logIns.get());
  }
}
