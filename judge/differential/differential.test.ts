import { describe, expect, onTestFinished, test } from 'vitest';
import { endWithTest } from '../../fixtures/end-with-test.fixture.ts';
import { startReference, type Deployment } from '../../api/deployment.ts';
import { strangeChoices } from '../../variants/dialect/strange.ts';
import type { VariantOptions } from '../../variants/create-variant.ts';
import type { EditCommand, Start } from '../model/command.ts';
import { compareParties } from './differential.ts';
import type { PlayedHistory } from './history.ts';
import type { OccurredBreach } from './pair.ts';
import { openParties, type Opened } from './party.ts';
import { play } from './play.ts';

type Options = Pick<VariantOptions, 'faults' | 'dialect'>;

const [right, strange] = [await serverWith({}), await serverWith({ dialect: 'strange' })];

async function serverWith(options: Options): Promise<Deployment> {
  const server = await startReference(options);
  endWithTest(() => server[Symbol.asyncDispose]());
  return server;
}

async function opened(first: Deployment, second: Deployment): Promise<Opened> {
  const both = await openParties({ first: first.loaded, second: second.loaded }, 1, new AbortController().signal);
  onTestFinished(() => both[Symbol.asyncDispose]());
  return both;
}

const start: Start = { entries: 12, second: 1, age: 0, filled: true };
const edit = (kind: EditCommand['kind'], more: Partial<EditCommand> = {}): EditCommand => ({
  kind,
  object: 0,
  at: 0,
  choice: 0,
  version: 'current',
  ...more,
});
const asked = (name: string): PlayedHistory => ({ starts: [start], commands: [{ kind: 'probe', name, object: 0 }] });
const history = (...commands: PlayedHistory['commands']): PlayedHistory => ({ starts: [start, start], commands });

/** Silences whose statuses the dialect changes by way of others. */
const besides = new Set(['add-into-missing-parent', 'multi-create-missing-id', 'operation-null-value']);

/** Keys of what showed. */
async function shownBy({ lanes }: Opened, played: PlayedHistory): Promise<readonly string[]> {
  const [lane] = lanes;
  return lane === undefined ? [] : [...(await play(lane, played)).occurrences.keys()].toSorted();
}

test('the strange dialect breaks nothing; each of its differences is listed once, most of them under a silence that it names', async () => {
  const both = await opened(right, strange);
  expect(both.leftOut).toEqual([]);
  const signal = new AbortController().signal;
  // by histories as they come: `shrink.test.ts` and the guides look for shorter ones
  const options = { seed: 1, runs: 1, longestMs: Infinity, longestShrinkMs: 0, signal };
  const { breaches, differences } = await compareParties(both.lanes, options);
  expect(breaches).toEqual([]);
  const names = differences.map(({ command, situation, aspect }) => `${command}, ${situation}: ${aspect}`);
  expect(names).toEqual([...new Set(names)]);
  expect(names).toEqual(
    expect.arrayContaining([
      'page, far behind the last: status',
      'any answer, as it looks: form of URIs',
      'merge PATCH, of nothing: effect',
    ]),
  );
  const chosen = new Set(strangeChoices.flatMap(({ silences }) => silences));
  const foreign = differences
    .filter(({ silence }) => silence !== undefined && !chosen.has(silence.id))
    .map(({ silence }) => silence?.id);
  expect(foreign.filter((id) => !besides.has(id ?? ''))).toEqual([]);
  for (const { curl } of differences) expect([...curl.first, ...curl.second].join('\n')).not.toMatch(/svcpat-|eyJ/);
});

describe('a fault', () => {
  const batch = { kind: 'batch' as const, parts: [edit('merge'), edit('merge', { object: 1 })], failing: 1 };
  test.each([
    ['versioning.refused.changes-nothing', history(edit('merge', { version: 'ahead' }))],
    ['versioning.absent.merge-412', history(edit('merge', { version: 'absent' }))],
    ['paging.link.total-number', history()],
    ['paging.instance-read.at-most-ten', history()],
    ['paging.page-one.holds-the-rest', { starts: [{ ...start, entries: 18 }], commands: [] }],
    ['patch.remove.cascades-to-parent', history(edit('remove mandatory', { at: -1 }))],
    ['patch.path.data-prefix-refused', asked('operations PATCH, with data in front of the path')],
    ['batch.rollback.edits-undone', history(batch)],
    ['batch.failure.status-500', history(batch)],
    ['multi-create.size.fifty-one-refused', asked('multi-create, of fifty-one items')],
  ] as const)('%s is a violation of that rule by the side that has it', async (rule, played) => {
    const wrong = await serverWith({ faults: [rule] });
    expect(await shownBy(await opened(right, wrong), played)).toEqual([`breach second ${rule}`]);
  });

  test('is one of the first side where that has it', async () => {
    const rule = 'paging.link.total-number';
    const wrong = await serverWith({ faults: [rule] });
    expect(await shownBy(await opened(wrong, right), history())).toEqual([`breach first ${rule}`]);
  });

  test('on both sides is told of both', async () => {
    const rule = 'paging.link.total-number';
    const wrong = { faults: [rule] } as const;
    const [lane] = (await opened(await serverWith(wrong), await serverWith(wrong))).lanes;
    const found =
      lane === undefined
        ? []
        : [...(await play(lane, history())).occurrences.values()].map(({ occurrence }) => occurrence as OccurredBreach);
    expect(found.map(({ party }) => party)).toEqual(['first', 'second']);
  });
});

test('sides that change places change places in what is listed', async () => {
  const [one, two] = [await opened(right, strange), await opened(strange, right)];
  const [forth] = one.lanes;
  const [back] = two.lanes;
  if (forth === undefined || back === undefined) throw new Error('there are lanes');
  const played = asked('page, far behind the last');
  const told = async (lane: typeof forth): Promise<ReadonlyMap<string, unknown>> =>
    new Map(
      [...(await play(lane, played)).occurrences].map(([key, { occurrence }]) => [
        key,
        'first' in occurrence ? [occurrence.first, occurrence.second] : [],
      ]),
    );
  const [there, again] = [await told(forth), await told(back)];
  expect([...again.keys()].toSorted()).toEqual([...there.keys()].toSorted());
  expect(again.get('outcome page far behind the last')).toEqual(['status 200', 'status 404']);
  expect(there.get('outcome page far behind the last')).toEqual(['status 404', 'status 200']);
});
