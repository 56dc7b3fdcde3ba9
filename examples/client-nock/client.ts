/** What a client of a network has to live with: it reads again, after a pause, when nothing or a 503 came. */
export class PatientClient {
  readonly #logIn: () => Promise<string>;
  readonly #pauseMs: number;

  constructor(logIn: () => Promise<string>, pauseMs = 100) {
    this.#logIn = logIn;
    this.#pauseMs = pauseMs;
  }

  /** @throws {Error} after the last try */
  async title(oid: string, tries = 3): Promise<string> {
    const answer = await this.#ask(`https://svc.example/api/space/main/softtype/${oid}`).catch((error: Error) => error);
    if (answer instanceof Response && answer.ok) {
      const { data } = (await answer.json()) as { readonly data: { readonly title: string } };
      return data.title;
    }
    const mayPass = answer instanceof Error || answer.status === 503;
    if (!mayPass || tries === 1) throw answer instanceof Error ? answer : new Error(`answered ${answer.status}`);
    await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    return this.title(oid, tries - 1);
  }

  async #ask(url: string): Promise<Response> {
    const headers = { Authorization: `Bearer ${await this.#logIn()}`, 'Svc-InformationFilter': btoa('{}') };
    return fetch(url, { headers });
  }
}
