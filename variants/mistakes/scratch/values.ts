import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentsPath } from '../proofs.ts';
import { at, encoded, type Service } from '../service.ts';
import { changes, during, mapTexts } from '../variant-parts.ts';

/** A text of content reads back otherwise than it was sent. */
function readsAs(change: (text: string) => string): Variant {
  return changes('instances', 'dataOf', (data) => mapTexts(data, change) as typeof data);
}

async function keeps({ edda }: Service, note: string): Promise<boolean> {
  const made = await edda.make('Document', { note });
  return at(await edda.read(made), '/data/note') === note;
}

const offsetTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;

function withoutAstral(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, '?');
}

export const scratchValues: Mistakes = {
  'value.offset-time-to-utc': {
    source: 'core: SoftType read response',
    breaks: 'A text that looks like a time comes back as it was sent.',
    variant: readsAs((text) => (offsetTime.test(text) ? new Date(text).toISOString() : text)),
    shows: async (service) => !(await keeps(service, '2024-03-01T10:00:00+02:00')),
  },
  'value.composed': {
    source: 'core: SoftType read response',
    breaks: 'A text comes back with the code points that were sent.',
    variant: readsAs((text) => text.normalize('NFC')),
    shows: async (service) => !(await keeps(service, 'e\u0301')),
  },
  'value.four-decimals': {
    source: 'core: SoftType read response',
    breaks: 'A number comes back with all its digits.',
    variant: changes(
      'instances',
      'dataOf',
      (data) =>
        Object.fromEntries(
          Object.entries(data).map(([name, value]) => [
            name,
            typeof value === 'number' ? Math.round(value * 10_000) / 10_000 : value,
          ]),
        ) as typeof data,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { weight: 0.123456789 });
      return at(await edda.read(made), '/data/weight') !== 0.123456789;
    },
  },
  'value.entry-text-4000': {
    source: 'core: SoftType read response',
    breaks: 'A text of an entry comes back whole.',
    variant: changes('entries', 'entryOut', (entry) => mapTexts(entry, (text) => text.slice(0, 4000)) as typeof entry),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a', comment: 'x'.repeat(4100) }] });
      return String(at(await edda.read(made), '/data/files/0/comment')).length < 4100;
    },
  },
  'value.entry-empty-text-gone': {
    source: 'core: SoftType read response',
    breaks: 'An empty text of an entry is there.',
    variant: changes(
      'entries',
      'entryOut',
      (entry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== '')) as typeof entry,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a', comment: '' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== '';
    },
  },
  'value.trimmed-by-operation': {
    source: 'core: Patch operation',
    breaks: 'What is applied is the value, blanks included.',
    variant: changes('operations', 'operationsOf', (operations) =>
      operations.map((operation) =>
        operation.op === 'remove' || typeof operation.value !== 'string'
          ? operation
          : { ...operation, value: operation.value.trim() },
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: ' a ' }]);
      return at(await edda.read(made), '/data/note') === 'a';
    },
  },
  'value.multi-create-astral': {
    source: 'core: Multi-create item',
    breaks: 'Text of an item keeps its characters, those beyond the basic plane too.',
    variant: during('multiCreate', 'multiCreate', (step) =>
      changes('contents', 'inputFrom', (input) =>
        step.isOn() ? { ...input, content: mapTexts(input.content, withoutAstral) as typeof input.content } : input,
      ),
    ),
    async shows({ edda }) {
      const answer = await edda.multiCreate([{ $id: 'a', $softType: 'Document', data: { title: 't😀' } }]);
      const read = await edda.get(String(at(answer.json, '/0/href')));
      return at(read.json, '/data/title') === 't??';
    },
  },
  'value.crlf': {
    source: 'core: SoftType read response',
    breaks: 'Line ends of a text come back as they were sent.',
    variant: readsAs((text) => text.replaceAll('\r\n', '\n')),
    shows: async (service) => !(await keeps(service, 'a\r\nb')),
  },
  'value.merge-escapes-html': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'What a merge stores is the text of its body.',
    variant: changes('contents', 'editsFrom', (edits) => ({
      ...edits,
      content: mapTexts(edits.content, (text) =>
        text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
      ) as typeof edits.content,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { note: 'a & <b>' });
      return at(await edda.read(made), '/data/note') !== 'a & <b>';
    },
  },
  'value.int32': {
    source: 'core: SoftType read response',
    breaks: 'An integer that was accepted comes back as the same.',
    variant: changes(
      'instances',
      'dataOf',
      (data) =>
        Object.fromEntries(
          Object.entries(data).map(([name, value]) => [name, Number.isInteger(value) ? Number(value) | 0 : value]),
        ) as typeof data,
    ),
    async shows({ edda }) {
      const { status, headers } = await edda.post(documentsPath, { title: 't', pageCount: 3_000_000_000 });
      const read = await edda.get(headers.get('location') ?? '');
      return status === 201 && at(read.json, '/data/pageCount') !== 3_000_000_000;
    },
  },
  'information-filter.ascii-only': {
    source: 'core: Information filter',
    breaks: 'Base64 of any JSON object is taken, with text beyond ASCII too.',
    variant: changes('messages', 'informationFilterOf', (filter, _areas, call) => {
      const header = call.headers['svc-informationfilter'] ?? '';
      if (Buffer.from(header, 'base64').every((byte) => byte < 128)) return filter;
      throw new Refusal(400, 'Expected an information filter in ASCII.');
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { 'Svc-InformationFilter': encoded({ role: 'Prüfer' }) };
      return (await edda.get(made.path, headers)).status !== 200;
    },
  },
};
