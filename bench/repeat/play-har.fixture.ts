/** An archive as its format says, as far as it takes to send its requests again. */
export interface Har {
  readonly log: {
    readonly entries: readonly {
      readonly request: {
        readonly method: string;
        readonly url: string;
        readonly headers: readonly { readonly name: string; readonly value: string }[];
        readonly postData?: { readonly text: string };
      };
      readonly response: { readonly status: number; readonly content: { readonly text?: string } } & {
        readonly headers: readonly { readonly name: string; readonly value: string }[];
      };
    }[];
  };
}

interface Replay {
  /** What stands for the service in the archive, and where it is now. */
  readonly from: string;
  readonly to: string;
  /** What `$NAME` stands for. */
  readonly values: ReadonlyMap<string, string>;
}

const id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Sends what an archive holds, with the ids that the service gives now; true for each answer that is as it was recorded. */
export async function playHar({ log }: Har, { from, to, values }: Replay): Promise<readonly boolean[]> {
  const ids = new Map<string, string>();
  const now = (text: string): string => text.replaceAll(id, (old) => ids.get(old) ?? old).replaceAll(from, to);
  const same: boolean[] = [];
  for (const { request, response } of log.entries) {
    const headers = request.headers.map(({ name, value }): [string, string] => [
      name,
      now(value).replaceAll(/\$(\w+)/g, (whole, variable: string) => values.get(variable) ?? whole),
    ]);
    const body = request.postData && { body: now(request.postData.text) };
    const answer = await fetch(now(request.url), { method: request.method, headers, ...body, redirect: 'manual' });
    const text = await answer.text();
    const place = response.headers.find(({ name }) => name.toLowerCase() === 'location')?.value ?? '';
    const recorded = response.content.text ?? '';
    const seen = `${answer.headers.get('location') ?? ''}${text}`.match(id) ?? [];
    for (const [index, old] of (`${place}${recorded}`.match(id) ?? []).entries()) ids.set(old, seen[index] ?? old);
    const names = new Set(answer.headers.keys());
    const hasAll = response.headers.every(({ name }) => names.delete(name.toLowerCase())) && names.size === 0;
    same.push(answer.status === response.status && hasAll && text === now(recorded));
  }
  return same;
}
