import type { RecordedRun, RecordedExchange } from '../../judge/cassette/exchanges.ts';
import { writeHar } from './har.ts';
import { writeHttp } from './http.ts';
import { base64Of, textOf, variablesIn, withoutGrants, withVariable } from './body.ts';
import { jsonOf } from '../../contract/json.ts';

export type CassetteFormat = (run: RecordedRun) => string;

const formats = { har: writeHar, hurl: writeHurl, http: writeHttp, nock: writeNock } as const satisfies Record<
  string,
  CassetteFormat
>;

export type CassetteFormatName = keyof typeof formats;

/** What writes that format; undefined where it is none of a cassette. */
export function cassetteFormatOf(name: string): CassetteFormat | undefined {
  return Object.entries(formats).find(([known]) => known === name)?.[1];
}

/** Entries of Hurl, each with the status that came; known credentials are variables of it. */
function writeHurl({ about, exchanges }: RecordedRun): string {
  const sent = withoutGrants(exchanges);
  const secrets = variablesIn(sent).map((name) => ` --secret ${name}="$${name}"`);
  const head = [
    `# ${about.implementation}, recorded ${about.startedAt}: the ids are those of then`,
    `# hurl --test --jobs 1 --path-as-is --continue-on-error${secrets.join('')} FILE`,
  ];
  return `${[head.join('\n'), ...sent.map(entryOf)].join('\n\n')}\n`;
}

function entryOf({ part, request, variable, response }: RecordedExchange): string {
  const { method, url, headers, body } = request;
  return [
    `# ${part}`,
    `${method} ${escaped(url)}`,
    ...withVariable(headers, variable).map(([name, value]) => `${escaped(name)}: ${escaped(value)}`),
    ...(body === undefined || body.byteLength === 0 ? [] : [bodyOf(body)]),
    ...(response === undefined ? [] : [`HTTP ${response.status}`]),
  ].join('\n');
}

/** A text of several lines would need a fence that is not in it. */
function bodyOf(body: Uint8Array): string {
  const text = textOf(body);
  if (text === undefined || /[`\n\r]/.test(text)) return `base64,${base64Of(body)};`;
  return `\`${text.replaceAll('\\', '\\\\').replaceAll('{{', '\\u{7b}\\u{7b}')}\``;
}

/** As Hurl reads it, where `#` begins a comment. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}

/** Definitions for `nock.define`: a client's tests meet real answers. What got no answer is left out. */
function writeNock({ exchanges }: RecordedRun): string {
  return `${JSON.stringify(exchanges.flatMap(definitionsOf), null, 1)}\n`;
}

function definitionsOf({ request, response }: RecordedExchange): readonly object[] {
  if (response === undefined || response.status === 0) return [];
  const { method, url, body } = request;
  const { origin, pathname, search } = new URL(url);
  return [
    {
      scope: origin,
      method,
      path: pathname + search,
      ...(body !== undefined && { body: replyBodyOf(body) }),
      status: response.status,
      response: replyBodyOf(response.body),
      rawHeaders: response.headers.flat(),
    },
  ];
}

/** JSON as what it says, another text as it is, bytes as hexadecimal digits. */
function replyBodyOf(body: Uint8Array): unknown {
  const text = textOf(body);
  if (text === undefined) return Buffer.from(body).toString('hex');
  const value = jsonOf(text);
  return value === undefined ? text : value;
}
