package client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.function.Supplier;

/** A small client of the service: reads documents and renames them, whoever else edits them meanwhile. */
public final class Client {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final HttpClient http = HttpClient.newHttpClient();
  private final String space;
  private final Supplier<String> logIn;
  private String token;

  /** A document as it was read. */
  public record Document(String oid, String title, int version) {}

  /** An answer that is no success. */
  public static final class StatusException extends RuntimeException {
    public final int status;

    StatusException(int status, String text) {
      super("The service answered " + status + ": " + text);
      this.status = status;
    }
  }

  public Client(String url, Supplier<String> logIn) {
    this.space = url + "/api/space/main";
    this.logIn = logIn;
  }

  public Document read(String oid) throws IOException, InterruptedException {
    JsonNode read = JSON.readTree(send("GET", "/softtype/" + oid, "", Map.of()));
    JsonNode data = read.get("data");
    return new Document(data.get("$oid").asText(), data.get("title").asText(), read.get("version").asInt());
  }

  /** Sets the title of a document that was read; reads it again where somebody was quicker. */
  public void rename(Document document, String title, int tries) throws IOException, InterruptedException {
    String body = JSON.writeValueAsString(Map.of("title", title));
    String path = "/softtype/Document/documentInput/" + document.oid();
    try {
      send("PATCH", path, body, Map.of("Svc-UOIVersion", String.valueOf(document.version())));
    } catch (StatusException refused) {
      if (refused.status != 409 || tries <= 1) throw refused;
      rename(read(document.oid()), title, tries - 1);
    }
  }

  private String send(String method, String path, String body, Map<String, String> headers)
      throws IOException, InterruptedException {
    boolean isFresh = token == null;
    if (isFresh) token = logIn.get();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(space + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + token)
            .header("Svc-InformationFilter", "e30=")
            .header("Content-Type", "application/json");
    headers.forEach(request::header);
    HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() == 401 && !isFresh) {
      token = null;
      return send(method, path, body, headers);
    }
    if (answer.statusCode() >= 300) throw new StatusException(answer.statusCode(), answer.body());
    return answer.body();
  }
}
