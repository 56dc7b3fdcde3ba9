import { entriesOf } from '../../judge/service/answers.ts';
import { type Append, appendBreaches, type Look } from '../../judge/model/appends.ts';
import { sendBatch } from '../../judge/service/batch.ts';
import { type CaseContext, race } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { pointer } from '../../judge/json.ts';
import { watchDuring } from '../../judge/service/races.ts';
import { rules } from '../../judge/rule.ts';
import type { Owner } from '../../judge/things.ts';
import { expectNoTwoWinners } from './checks/batch-contests.ts';
import { add } from './checks/operation-steps.ts';

const writers = 4;
/** Batches of each writer: few enough that no array has a second page. */
const batchesEach = 2;
const mostAttempts = 40;

interface Running {
  readonly context: CaseContext;
  /** Objects by the name that they have in a breach. */
  readonly owners: ReadonlyMap<string, Owner>;
  readonly appends: Append[];
  readonly looks: Look[];
}

export const batchIsolationRules = rules('batch', {
  'batch.commit.one-after-another': {
    source: 'core: Batch rules 1 (one change set); Versioning 3',
    statement:
      'Batches that append to several objects at once leave what some order of them would have left: each accepted one is in all of its objects once, a refused one in none, and no read contradicts that order; each answer with 200 or 500 is an array of results. Of batches that edit one object with the same version at once, alone or beside edits by its own route, not two are accepted.',
    fault: 'what a refused batch had appended stays where another batch was under way',
    needs: ['soft-type', 'array-port', 'batch', 'operations'],
    after: [
      'batch.success.status-200',
      'batch.version.mismatch-409',
      'batch.rollback.edits-undone',
      'batch.commit.visible-together',
      'patch.add.appends-without-marker',
      'versioning.race.one-writer-wins',
    ],
    test: race(
      async (context) => {
        const { given, expect } = context;
        await expectNoTwoWinners(context);
        const owners = new Map<string, Owner>();
        for (const name of ['the first', 'the second', 'the third']) owners.set(name, await given.objectWithEntries(1));
        const running: Running = { context, owners, appends: [], looks: [] };
        await watchDuring(
          (isOver) => lookAround(running, isOver),
          async () => void (await Promise.all(Array.from({ length: writers }, (_, writer) => append(running, writer)))),
        );
        const final = await Promise.all(
          [...owners].map(async ([name, owner]) => [name, await marksNow(running, owner)]),
        );
        expect(running.looks.length, 'reads while batches were under way').toSatisfy('some', (count) => count > 0);
        const { appends, looks } = running;
        expect(
          appendBreaches({ appends, looks, final: Object.fromEntries(final) }),
          'what contradicts every order',
        ).toEqual([]);
      },
      { rounds: 2 },
    ),
  },
});

/** Appends to two of the objects in one batch, with the versions read before, and starts over when another writer was faster. */
async function append({ context, owners, appends }: Running, writer: number): Promise<void> {
  const { given, service, expect } = context;
  const names = [...owners.keys()];
  for (let count = 0; count < batchesEach; count += 1) {
    const some = names.filter((_, index) => index !== (writer + count) % names.length);
    // who takes one object after another meets another who takes them the other way round
    const chosen = writer % 2 === 0 ? some : some.toReversed();
    for (let attempt = 0; ; attempt += 1) {
      given.assume(attempt < mostAttempts, `a writer that starts over succeeds within ${mostAttempts} attempts`);
      const mark = given.unique('mark');
      const current = await Promise.all(chosen.map((name) => given.current(ownerOf(owners, name))));
      const edits = current.map((owner) =>
        service.requests.operations(owner, [add(pointer(owner.port.member), given.entry(mark))]),
      );
      const reply = await sendBatch(context, edits);
      // also what lost to another is told operation by operation
      if (reply.status === 200 || reply.status === 500)
        expect(reply.json, 'body of a batch beside others', reply).toBeAnArray();
      const result = reply.status === 200 ? 'accepted' : 'refused';
      appends.push({ ...spanOf(reply), mark, objects: chosen, result });
      if (result === 'accepted') break;
    }
  }
}

/** Reads one object after another for as long as the writers are at work. */
async function lookAround({ context, owners, looks }: Running, isOver: () => boolean): Promise<void> {
  while (!isOver())
    for (const [name, owner] of owners) {
      const reply = await context.service.read(owner);
      context.given.succeeded(reply, 'an object is read', ['reading.instance.short-route-served']);
      looks.push({ ...spanOf(reply), object: name, marks: marksIn(reply, owner) });
    }
}

async function marksNow({ context }: Running, owner: Owner): Promise<readonly string[]> {
  const { arrays } = await context.service.snapshot(owner);
  return textsOf(
    (arrays[owner.port.member] ?? []).map(({ members }) => members[owner.port.text]),
    owner,
  );
}

function marksIn(reply: Reply, owner: Owner): readonly string[] {
  return textsOf(
    entriesOf(reply, owner.port).map(({ members }) => members[owner.port.text]),
    owner,
  );
}

/** Without what the object had from the start. */
function textsOf(texts: readonly unknown[], { texts: before }: Owner): readonly string[] {
  return texts.filter((text) => typeof text === 'string').filter((text) => !before.includes(text));
}

function ownerOf(owners: ReadonlyMap<string, Owner>, name: string): Owner {
  const owner = owners.get(name);
  if (owner === undefined) throw new RangeError(`There is no object ${name}.`);
  return owner;
}

function spanOf({ exchange: { sentAt, durationMs } }: Reply): {
  readonly invokedAt: number;
  readonly respondedAt: number;
} {
  return { invokedAt: sentAt, respondedAt: sentAt + durationMs };
}
