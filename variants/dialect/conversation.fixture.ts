import { Agent, request } from 'node:http';
import type { Clock } from '../../clock/clock.ts';
import { together, type Variant, replaces } from '../breaks.ts';
import { createVariant } from '../create-variant.ts';

/** Method, path and what else differs from a well-formed request of the editor; a header that is null is left out. */
export type Said = readonly [method: string, path: string, more?: More];

export interface More {
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
}

const usual = {
  Authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
  'Svc-InformationFilter': 'e30=',
  'Content-Type': 'application/json',
};

/**
 * What a server with this change answers, request by request: ids and time are the same in each conversation, and so is all else that is not
 * changed. @param like what it is to be told from: nothing is asked behind the first difference
 */
export async function conversation(
  change: Variant,
  script: readonly Said[],
  like?: readonly string[],
): Promise<readonly string[]> {
  const heard: string[] = [];
  const server = createVariant({ faults: [together(countedIds(), change)], clock: stoppedClock(heard) });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const url = await server.listen();
    let version = '';
    for (const said of script) {
      const answer = await answerTo(url, agent, at(version, said));
      version = /"svc-uoiversion","(\d+)"/i.exec(answer)?.[1] ?? version;
      heard.push(steady(answer, url));
      if (like !== undefined && heard.some((line, index) => line !== like[index])) break;
    }
  } finally {
    agent.destroy();
    await server.close();
  }
  return heard;
}

/** With the version that was named last in place of `{version}`. */
function at(version: string, [method, path, { headers = {}, body } = {}]: Said): Said {
  const stated = Object.entries(headers).map(
    ([name, value]) => [name, value?.replace('{version}', version) ?? null] as const,
  );
  const named: unknown = body && JSON.parse(JSON.stringify(body).replaceAll('{version}', version));
  return [method, path, { headers: Object.fromEntries(stated), body: named }];
}

function countedIds(): Variant {
  let count = 0;
  return replaces('editing', 'newOid', () => `oid-${(count += 1)}`);
}

/** Time stands still; whoever sleeps is heard. */
function stoppedClock(heard: string[]): Clock {
  const now = Date.UTC(2030, 0, 1);
  return {
    now: () => now,
    monotonic: () => 0,
    sleep: async (delayMs) => void heard.push(`slept ${delayMs} ms`),
  };
}

function answerTo(url: string, agent: Agent, said: Said): Promise<string> {
  const [method, path, { headers = {}, body } = {}] = said;
  const stated = Object.entries({ ...usual, ...headers }).filter((pair): pair is [string, string] => pair[1] !== null);
  return new Promise((resolve, reject) => {
    const sending = request(new URL(path, url), { method, agent, headers: Object.fromEntries(stated) }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve(
          JSON.stringify([
            method,
            path,
            answer.statusCode,
            headersOf(answer.rawHeaders),
            Buffer.concat(chunks).toString(),
          ]),
        ),
      );
    });
    // the kept connection had ended, silently: the server never saw this request
    sending.on('error', (error) => (sending.reusedSocket ? resolve(answerTo(url, agent, said)) : reject(error)));
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    sending.end(text?.replaceAll('{host}', new URL(url).host));
  });
}

/** As they came, but for the date. */
function headersOf(raw: readonly string[]): readonly string[] {
  return raw.filter((_text, index) => raw[index - (index % 2)] !== 'Date');
}

/** The port and the random id of a token differ from one conversation to the next. */
function steady(answer: string, url: string): string {
  return answer
    .replaceAll(new URL(url).host, 'host')
    .replaceAll(/eyJ[\w-]+\.([\w-]+)\.[\w-]+/g, (_token, claims: string) => `token of ${namesIn(claims)}`);
}

function namesIn(claims: string): string {
  return Object.keys(JSON.parse(Buffer.from(claims, 'base64url').toString())).join(', ');
}
