package client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** The service of the suite, with its control routes. */
final class Service implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Process process;
  private final String token;
  final String url;

  Service() throws IOException {
    String command = System.getenv().getOrDefault("SVC_CONFORMANCE", "npx svc-conformance");
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of("serve", "--control"));
    process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
    JsonNode announced = JSON.readTree(line);
    url = announced.get("url").asText();
    token = announced.get("controlToken").asText();
  }

  /** A request to /_control/; docs/control has the description. */
  JsonNode control(String method, String path, String body) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url + "/_control/" + path))
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .header("Authorization", "Bearer " + token)
              .build();
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 300) throw new IllegalStateException(answer.body());
      return JSON.readTree(answer.body());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    }
  }

  /** An access token by an order as {"identity":"editor"}. */
  String token(String order) {
    return control("POST", "tokens", order).get("accessToken").asText();
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }
}
