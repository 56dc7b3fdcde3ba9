import { curlLine, type Hiding } from './curl.ts';
import type { Sent } from '../client/wire.ts';
import { headerIn } from '../exchange.ts';
import type { Part } from '../redact/redact.ts';

const oidPattern = /"\$oid" *: *"([^"\\]*)"/g;
/** Prints the last segment of the Location of an answer that curl included. */
const fromLocation = `sed -n 's/\\r$//; s/^[Ll]ocation:.*\\/\\([^/]*\\)$/\\1/p'`;

/**
 * Requests as lines of a script for a POSIX shell that does the same on a fresh service: the ids of objects are caught from the answers
 * (Location, else `$oid`) in variables O1, O2, ... wherever a later line needs them. What is caught from is shown on standard error.
 */
export function scriptLines(history: readonly Sent[], secrets: Hiding): readonly string[] {
  const names = new Map<string, string>();
  return history.map((sent, index) => {
    const line = curlLine(sent.request, withNames(secrets, names));
    const caught = catchesOf(sent, history.slice(index + 1), names);
    return caught === undefined ? line : `${caught.variable}=$(${line} | tee /dev/stderr | ${caught.filter})`;
  });
}

interface Catch {
  readonly variable: string;
  /** Command that prints the id out of the answer. */
  readonly filter: string;
}

/** An id that the answer tells first and that later requests name. */
function catchesOf({ exchange }: Sent, later: readonly Sent[], names: Map<string, string>): Catch | undefined {
  const isWanted = (id: string): boolean =>
    id !== '' && !names.has(id) && later.some(({ request }) => namesId(request, id));
  const location = headerIn(exchange.response?.headers ?? [], 'location') ?? '';
  const segment = location.slice(location.lastIndexOf('/') + 1);
  if (exchange.request.method === 'POST' && isWanted(segment))
    return { variable: named(segment, names), filter: fromLocation };
  const oids = [...(exchange.response?.body ?? '').matchAll(oidPattern)].map(([, oid = '']) => oid);
  const at = oids.findIndex(isWanted);
  if (at === -1) return undefined;
  return {
    variable: named(oids[at] ?? '', names),
    filter: `grep -o '"$oid" *: *"[^"]*"' | sed -n ${at + 1}p | cut -d '"' -f 4`,
  };
}

function named(id: string, names: Map<string, string>): string {
  const variable = `O${names.size + 1}`;
  names.set(id, variable);
  return variable;
}

function namesId({ url, body }: Sent['request'], id: string): boolean {
  const pattern = patternOf([id], url);
  return pattern.test(url) || (body !== undefined && pattern.test(new TextDecoder().decode(body)));
}

/** As the secrets hide themselves, with the ids as variables too. */
function withNames(secrets: Hiding, names: ReadonlyMap<string, string>): Hiding {
  if (names.size === 0) return secrets;
  return {
    redact: (text) => secrets.redact(text),
    parts: (text) => secrets.parts(text).flatMap((part) => ('text' in part ? splitAt(part.text, names) : [part])),
  };
}

function splitAt(text: string, names: ReadonlyMap<string, string>): readonly Part[] {
  return text
    .split(patternOf([...names.keys()], text))
    .filter((part) => part !== '')
    .map((part) => {
      const variable = names.get(part);
      return variable === undefined ? { text: part } : { variable };
    });
}

/** An id as a segment of a path or as a whole JSON text; the number at the end of a page route is none. */
function patternOf(ids: readonly string[], text: string): RegExp {
  const alternatives = ids.map(RegExp.escape).join('|');
  return new RegExp(`(?<=[/"])(${alternatives})(?=[/"?]${text.includes('/page/') ? '' : '|$'})`);
}
