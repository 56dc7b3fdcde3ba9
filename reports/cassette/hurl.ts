import type { RecordedExchange, RecordedRun } from '../../judge/cassette/exchanges.ts';
import { base64Of, textOf, variablesIn, withoutGrants, withVariable } from './body.ts';

/** Entries of Hurl, each with the status that came; known credentials are variables of it. */
export function writeHurl({ about, exchanges }: RecordedRun): string {
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
