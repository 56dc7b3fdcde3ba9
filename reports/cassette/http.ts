import { jsonOf } from '../../contract/json.ts';
import type { RecordedExchange, RecordedRun } from '../../judge/cassette/exchanges.ts';
import { textOf, variablesIn, withoutGrants, withVariable } from './body.ts';

/** A file of requests as editors send them; known credentials are variables of it. */
export function writeHttp({ about, exchanges }: RecordedRun): string {
  const sent = withoutGrants(exchanges);
  const given = variablesIn(sent).map((name) => ` ${name}="$${name}"`);
  const head = [
    `# ${about.implementation}, recorded ${about.startedAt}: the ids are those of then`,
    `# httpyac send --all FILE${given.length === 0 ? '' : ` --var${given.join('')}`}`,
  ];
  return `${[head.join('\n'), ...sent.map(requestOf)].join('\n\n')}\n`;
}

function requestOf({ part, request, variable, response }: RecordedExchange): string {
  const { method, url, headers, body } = request;
  const text = writable(body);
  return [
    `### ${part}`,
    ...(response === undefined ? [] : [`# it was answered with ${response.status}`]),
    ...(body !== undefined && text === undefined ? [`# its body of ${body.byteLength} bytes cannot stand here`] : []),
    `${method} ${url}`,
    ...withVariable(headers, variable).map(([name, value]) => `${name}: ${value}`),
    ...(text === undefined || text === '' ? [] : ['', text]),
  ].join('\n');
}

/**
 * The body, if it is a text whose lines would be sent as they are, and in which nothing would be read as a placeholder, a file or the next
 * request; JSON can say two braces otherwise.
 */
function writable(body: Uint8Array | undefined): string | undefined {
  const text = textOf(body);
  if (text === undefined || !isSentAsWritten(text)) return undefined;
  if (!text.includes('{{')) return text;
  return jsonOf(text) !== undefined ? text.replaceAll('{{', String.raw`\u007b\u007b`) : undefined;
}

/** Whether an editor sends this body as it stands in the file, and reads nothing in it as a file or the next request. */
export function isSentAsWritten(body: string): boolean {
  return !/[\u0000-\u0009\u000b-\u001f]|^\s|\s$|(?:^|\n)(?:###|[<>] )/.test(body);
}
