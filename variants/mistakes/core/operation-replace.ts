import { headerNames } from '../../../contract/names.ts';
import { readValue } from '../../../reference-server/areas/content.ts';
import { nameOf, type Target } from '../../../reference-server/areas/operations.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { named, operationsOf } from '../proofs.ts';
import { at, encoded, operationsPath, versionHeader } from '../service.ts';
import { changes, during, forgive, perServer } from '../variant-parts.ts';

const lately = '2026-02-03T04:05:06Z';

/** When the first people stood on the moon. */
const longAgo = '1969-07-20T20:17:40Z';

const beyondIntegers = 2 ** 31;

const lastDate = perServer(() => ({ time: undefined as string | undefined }));

export const operationReplaceMistakes: Mistakes = {
  'operations.false-inside-an-entry-is-nothing-to-do': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'Each operation of a list is carried out, also one that replaces a truth value inside an entry by false.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      if (value === false && !place.startsWith('/0/') && target.row.entry !== undefined) return;
      await right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'm', files: [{ name: 'one', final: true }] });
      const id = at(await edda.read(made), '/data/files/0/$entryId');
      const operations = [
        { op: 'replace', path: '/note', value: 'n' },
        { op: 'replace', path: `/files/${id}/final`, value: false },
      ];
      await edda.operate(made, 1, operations);
      return at(await edda.read(made), '/data/files/0/final') === true;
    },
  },
  'operations.later-ones-have-no-date': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The date of the filter is that of every dated element that the list replaces, whatever stands before it.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      if (place.startsWith('/0/')) return right(areas, run, target, value, place);
      const dateless = { ...run, rules: { ...run.rules, effectivity: () => isoTime(areas.clock.now()) } };
      await right(areas, dateless, target, value, place);
      run.root = dateless.root;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '12' });
      const operations = ['/title', '/price'].map((path) => ({ op: 'replace', path, value: '13' }));
      await edda.operate(made, 1, operations, { time: '2019-03-04T00:00:00Z' });
      return !String(at(await edda.read(made), '/data/price/effectivity')).startsWith('2019-03-04');
    },
  },
  'writing.stamp-in-batch-is-of-the-clock': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'In a batch the date is that of the filter which the batch was sent with.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('contents', 'effectivityOf', (right, areas, call) =>
        batch.isOn() ? new Date(areas.clock.now()).toISOString() : right(areas, call),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '12' });
      const time = '2021-03-01T10:00:00Z';
      const operation = operationsOf(made, 1, [{ op: 'replace', path: '/price', value: '13' }]);
      const filter = Buffer.from(JSON.stringify({ time })).toString('base64');
      await edda.post('/api/space/main/batch', [operation], { 'Svc-InformationFilter': filter });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },
  'operations.effectivity-never-goes-back': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The effectivity date is that of the filter, also where the one before it was later.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      const former = at(target.value, '/effectivity') ?? at(target.row.content, '/price/effectivity');
      const effectivity = () => {
        const next = run.rules.effectivity();
        return typeof former === 'string' && former > next ? former : next;
      };
      const own = { ...run, rules: { ...run.rules, effectivity } };
      await right(areas, own, target, value, pointer);
      run.root = own.root;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '1' });
      const replace = (version: number, time: string) =>
        edda.operate(made, version, [{ op: 'replace', path: '/price/value', value: `${version}` }], { time });
      await replace(1, '2031-01-01T00:00:00Z');
      await replace(2, '2021-01-01T00:00:00Z');
      const price = at(await edda.read(made), '/data/price');
      return at(price, '/value') === '2' && String(at(price, '/effectivity')).startsWith('2031');
    },
  },
  'operations.same-value-is-not-dated-anew': {
    source: 'core: Operations-based PATCH rules 7',
    breaks:
      'A dated element that is replaced gets the date of the information filter, also when its value is the same.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'member' && target.member.kind === 'dated' && at(target.value, '/value') === value) return;
      await right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '10' }], { time: lately });
      return !isTime(at(await edda.read(made), '/data/price/effectivity'), lately);
    },
  },
  'operations.date-before-1970': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element that is replaced gets the date of the information filter, however long ago that is.',
    variant: changes('contents', 'effectivityOf', (time, areas) =>
      Date.parse(time) > 0 ? time : isoTime(areas.clock.now()),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '12' }], { time: longAgo });
      return !isTime(at(await edda.read(made), '/data/price/effectivity'), longAgo);
    },
  },
  'operations.replaced-what-was-just-removed': {
    source: 'core: Operations-based PATCH rules 7, first sentence',
    breaks: 'The target of a replace has to exist, also where it did before the list began.',
    survives: 'Whether an operation builds on the one before it is not said (operations-in-sequence): recorded.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const wasThere = target.steps.length === 1 && run.object.content[nameOf(target)] !== undefined;
      if (target.kind !== 'member' || target.row.entry !== undefined || target.value !== undefined || !wasThere)
        return right(areas, run, target, value, place);
      return areas.operations.setMember(run, target, readValue(run.rules, target.member, value, place));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      const operations = [
        { op: 'remove', path: '/note' },
        { op: 'replace', path: '/note', value: 'again' },
      ];
      return (await edda.operate(made, 1, operations)).status < 300;
    },
  },
  'operations.dated-by-the-clock-in-a-batch': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The date is that of the information filter, also where the filter is that of a batch.',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      'isSibling' in call ? isoTime(areas.clock.now()) : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '12' });
      const headers = { ...versionHeader(1), 'Content-Type': 'application/json-patch+json' };
      const body = [{ op: 'replace', path: '/price/value', value: '13' }];
      const filter = { 'Svc-InformationFilter': encoded({ time: '2020-01-01T00:00:00Z' }) };
      const patch = { method: 'PATCH', href: operationsPath(made), headers, body };
      const { status } = await edda.post('/api/space/main/batch', [patch], filter);
      const price = at(await edda.read(made), '/data/price');
      return status === 200 && !String(at(price, '/effectivity')).startsWith('2020-01-01');
    },
  },
  'operations.offset-of-the-date-dropped': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The effectivity date is that of the information filter, whatever the offset it is written with.',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      right(areas, call).replace(/[+-]\d\d:\d\d$/, 'Z'),
    ),
    async shows({ edda }) {
      const time = '2026-03-01T00:30:00+02:00';
      const made = await edda.make('Document', { price: '4' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '5' }], { time });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },
  'operations.integers-of-32-bits': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replaced number is the one that was sent, one beyond 32 bits too.',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) =>
      right(areas, run, target, Number.isInteger(value) && Number(value) >= beyondIntegers ? Number(value) | 0 : value),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { pageCount: 1 });
      await edda.operate(made, 1, [{ op: 'replace', path: '/pageCount', value: 3_000_000_000 }]);
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },
  'operations.zero-inside-entries-ignored': {
    source: 'core: Operations-based PATCH rules 7 and 3',
    breaks: 'A replace brings zero into an entry as well.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) =>
      value === 0 && target.row.entry !== undefined ? undefined : right(areas, run, target, value, place),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', scale: 2 }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/scale`, value: 0 }]);
      return at(await edda.read(made), '/data/files/0/scale') === 2;
    },
  },
  'operations.replace-makes-in-the-depth': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The target of a replace has to exist, also in an item of an array inside an entry.',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) => {
      const isInItem = target.row.entry !== undefined && target.steps.length === 2;
      if (target.kind === 'member' && target.value === undefined && isInItem)
        return areas.operations.addValue(run, target, value, place);
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', revisions: [{ author: 'a' }] }];
      const made = await edda.make('Document', { files });
      const read = await edda.read(made);
      const id = String(at(read, '/data/files/0/$entryId'));
      const inner = String(at(read, '/data/files/0/revisions/0/$entryId'));
      const path = `/files/${id}/revisions/${inner}/text`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'made' }])).status < 300;
    },
  },
  'operations.replace-adds': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replace needs a target that is there.',
    museum: true,
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) => {
      const isAbsent = target.kind === 'member' && target.value === undefined;
      return isAbsent ? areas.operations.addValue(run, target, value, place) : right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/note', value: 'b' }])).status === 204;
    },
  },
  'operations.only-the-last-one-tells': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A request fails when any of its operations does, not the last one alone.',
    museum: true,
    variant: replaces('operations', 'applyOperations', async (right, areas, run, operations) => {
      for (const operation of operations.slice(0, -1)) await right(areas, run, [operation]).catch(forgive);
      await right(areas, run, operations.slice(-1));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const operations = [
        { op: 'replace', path: '/remark', value: 'b' },
        { op: 'add', path: '/note', value: 'c' },
      ];
      return (await edda.operate(made, 1, operations)).status === 204;
    },
  },
  'operations.replace-finds-no-empty-text': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'An empty text in an entry is a value that can be replaced.',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) =>
      right(
        areas,
        run,
        target.kind === 'member' && target.row.entry !== undefined && target.value === ''
          ? { ...target, value: undefined }
          : target,
        value,
        place,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f', comment: '' }] });
      const path = `/files/${String(at(await edda.read(made), '/data/files/0/$entryId'))}/comment`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'c' }])).status >= 400;
    },
  },
  'operations.replace-adds-to-an-entry': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'What is replaced has to exist, a member of an entry too.',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, pointer) => {
      const isMissing = target.kind === 'member' && target.value === undefined && target.row.entry !== undefined;
      return isMissing
        ? areas.operations.addValue(run, target, value, pointer)
        : right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entry', files: named(1) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/comment', value: 'new' }])).status < 400;
    },
  },
  'replace.empty-text-in-an-entry-removes': {
    source: 'core: Patch operation, value',
    breaks: 'An empty text is a value by which another one is replaced, in an entry as at the root.',
    variant: removesByEmptyText(({ row, steps }) => row.entry !== undefined && steps.length === 1),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', comment: 'c' }] });
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/comment', value: '' }]);
      return at(await edda.read(made), '/data/files/0/comment') === undefined;
    },
  },
  'replace.empty-text-inside-an-entry-removes': {
    source: 'core: Patch operation, value',
    breaks: 'An empty text is a value by which another one is replaced, in an entry of an entry as well.',
    variant: removesByEmptyText(({ row, steps }) => row.entry !== undefined && steps.some(({ entryId }) => entryId)),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', revisions: [{ text: 'r' }] }] });
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/revisions/1/text', value: '' }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') === undefined;
    },
  },
  'add.empty-text-in-an-entry-adds-none': {
    source: 'core: Patch operation, value',
    breaks: 'An empty text is a value that can be added, in an entry as at the root.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      if (value !== '' || target.kind !== 'member' || target.row.entry === undefined)
        await right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n' }] });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/1/comment', value: '' }]);
      return at(await edda.read(made), '/data/files/0/comment') === undefined;
    },
  },
  'replace.short-numbers-in-entries': {
    source: 'core: Patch operation, value',
    breaks: 'A number that a replace brings into an entry keeps its digits.',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const isShort = target.row.entry !== undefined && typeof value === 'number';
      return right(areas, run, target, isShort ? Math.fround(value) : value);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f', scale: 1 }] });
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/scale', value: 0.1 }]);
      return at(await edda.read(made), '/data/files/0/scale') !== 0.1;
    },
  },
  'replace.dated-by-whoever-came-last': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element gets the date of the filter of its own request, also while others send theirs.',
    variant: together(
      replaces('dispatcher', 'carryOut', (right, areas, route, call) => {
        lastDate(areas).time = timeIn(call.headers[headerNames.informationFilter.toLowerCase()]);
        return right(areas, route, call);
      }),
      replaces('contents', 'effectivityOf', (right, areas, call) => lastDate(areas).time ?? right(areas, call)),
    ),
    async shows({ edda, emil }) {
      const dates = ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'];
      for (let tries = 0; tries < 5; tries += 1) {
        const found = await Promise.all(
          [edda, emil].map(async (client, index) => {
            const made = await client.make('Document', { price: '1' });
            const operation = { op: 'replace', path: '/price', value: '2' };
            await client.operate(made, 1, [operation], { time: dates[index] });
            return at(await client.read(made), '/data/price/effectivity');
          }),
        );
        if (found.some((date, index) => date !== dates[index])) return true;
      }
      return false;
    },
  },
};

function isTime(effectivity: unknown, time: string): boolean {
  return Date.parse(String(effectivity)) === Date.parse(time);
}

/** An empty text takes the value of a member away, where the member is one that is meant and may be without. */
function removesByEmptyText(isMeant: (target: Target) => boolean): Variant {
  return replaces('operations', 'replaceValue', (right, areas, run, target, value, place) =>
    value === '' && target.kind === 'member' && !target.member.mandatory && isMeant(target)
      ? areas.operations.removeTarget(run, target)
      : right(areas, run, target, value, place),
  );
}

function timeIn(header: string | undefined): string | undefined {
  try {
    const time: unknown = at(JSON.parse(Buffer.from(header ?? '', 'base64').toString()), '/time');
    return typeof time === 'string' ? time : undefined;
  } catch {
    return undefined;
  }
}
