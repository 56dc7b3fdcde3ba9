import type { Run } from '../run.ts';
import { counted, cutTo, seconds } from '../text.ts';
import { withoutUser } from './address.ts';
import { copyable } from './evidence.ts';
import { html, type Markup } from './markup.ts';

const longest = 1000;

/** What a reader has to know to repeat the run. */
export function factsOf({ header, footer, notes = [] }: Run): Markup {
  const rows: readonly (readonly [string, string])[] = [
    ['Implementation', header.implementation],
    ['Base URL', withoutUser(header.baseUrl)],
    ['Profile', profileOf(header.command)],
    ['Seed', String(header.seed)],
    ['Runs of a property', String(header.runs)],
    ['Started', header.startedAt],
    [
      'Duration',
      footer === undefined
        ? 'cut off before its end'
        : `${seconds(footer.durationMs)}, ${counted(footer.requests, 'request')}`,
    ],
    ...(footer?.aborted === undefined ? [] : [['Ended early', footer.aborted] as const]),
    ['Version of the suite', header.suiteVersion],
    ['Version of the record', String(header.schemaVersion)],
    ...notes.map((note) => ['Note', note] as const),
  ];
  return html`<dl class="facts">
      ${rows.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${cutTo(longest, value)}</dd>
          </div>`,
      )}
    </dl>
    <h3>Command</h3>
    ${copyable('the command of the run', cutTo(longest, withoutUser(header.command)))}`;
}

/** Where the profile came from; what stands in it is in no report. */
function profileOf(command: string): string {
  const [, quoted, plain] = /--profile(?:=|\s+)(?:'([^']*)'|(\S+))/.exec(command) ?? [];
  return quoted ?? plain ?? 'the one of the package';
}
