import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Model } from './store-in-memory.fixture.ts';
import { type Content, detach, NestedStoreError, type Reading, type Store, type Writing } from './store.ts';
import { describeStores, withStore } from './stores.fixture.ts';

const oids = ['a', 'b'];
const portIds = ['files', 'contacts'];
const members = ['name', 'category', '__proto__', "o'clock", 'scale/~1', '$."x"'];

const contentArbitrary: fc.Arbitrary<Content> = fc.dictionary(
  fc.constantFrom(...members),
  fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean()),
  {
    noNullPrototype: true,
  },
);
const placeArbitrary = fc.record({ oid: fc.constantFrom(...oids), port: fc.constantFrom(...portIds) });
const idArbitrary = fc.integer({ min: 1, max: 8 });
const itemArbitrary = fc.record({ entryId: idArbitrary, content: contentArbitrary }, { requiredKeys: ['content'] });

/** One write; skips itself where the model says that its object or entry is not there, so that it fits any state. */
type Step = (writing: Writing) => Promise<void>;

async function holds(writing: Writing, oid: string, port?: string, entryId?: number): Promise<boolean> {
  if (!(await writing.object('main', oid))) return false;
  return entryId === undefined || (await writing.entry(oid, port ?? '', entryId)) !== undefined;
}

const named = (name: string, step: Step): Step =>
  Object.assign(step, { toString: () => name, [fc.toStringMethod]: () => name });

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(placeArbitrary, contentArbitrary).map(([{ oid }, content]) =>
    named(`put object ${oid} ${JSON.stringify(content)}`, async (writing) => {
      const before = await writing.object('main', oid);
      if (before) return writing.updateObject('main', oid, before.version + 1, content);
      await writing.insertObject({ spaceId: 'main', oid, softType: 'Document', version: 1, content });
    }),
  ),
  placeArbitrary.map(({ oid }) =>
    named(`delete ${oid}`, async (writing) => {
      if (await holds(writing, oid)) await writing.deleteObject('main', oid);
    }),
  ),
  // seldom, so that histories grow
  fc
    .nat({ max: 9 })
    .map((chance) =>
      named(chance === 0 ? 'empty' : 'nothing', async (writing) => (chance === 0 ? writing.empty() : undefined)),
    ),
  fc.tuple(placeArbitrary, fc.array(contentArbitrary, { maxLength: 4 })).map(([{ oid, port }, contents]) =>
    named(`append ${oid} ${port} ${JSON.stringify(contents)}`, async (writing) => {
      if (await holds(writing, oid)) await writing.appendEntries(oid, port, contents);
    }),
  ),
  fc.tuple(placeArbitrary, idArbitrary, contentArbitrary).map(([{ oid, port }, entryId, content]) =>
    named(`update ${oid} ${port} ${entryId}`, async (writing) => {
      if (await holds(writing, oid, port, entryId)) await writing.updateEntry(oid, port, entryId, content);
    }),
  ),
  fc.tuple(placeArbitrary, idArbitrary).map(([{ oid, port }, entryId]) =>
    named(`remove ${oid} ${port} ${entryId}`, async (writing) => {
      if (await holds(writing, oid, port, entryId)) await writing.removeEntry(oid, port, entryId);
    }),
  ),
  fc.tuple(placeArbitrary, fc.array(itemArbitrary, { maxLength: 5 })).map(([{ oid, port }, items]) =>
    named(`replace ${oid} ${port} ${JSON.stringify(items)}`, async (writing) => {
      if (await holds(writing, oid)) await writing.replaceEntries(oid, port, items);
    }),
  ),
  fc
    .tuple(fc.string(), fc.string({ unit: 'binary' }))
    .map(([id, text]) => named(`document ${id}`, (writing) => writing.putDocument('profile', id, text))),
);

const changeSetArbitrary = fc.record({ steps: fc.array(stepArbitrary, { maxLength: 5 }), rejects: fc.boolean() });
type ChangeSet = typeof changeSetArbitrary extends fc.Arbitrary<infer T> ? T : never;

function workOf({ steps, rejects }: ChangeSet) {
  return async (writing: Writing): Promise<void> => {
    for (const step of steps) await step(writing);
    if (rejects) throw new Error('told to reject');
  };
}

async function contentsOf(reading: Reading): Promise<unknown> {
  const places = oids.flatMap((oid) => portIds.map((port) => ({ oid, port })));
  const ports = places.map(async ({ oid, port }) => ({
    count: await reading.countEntries(oid, port),
    all: await reading.entries(oid, port, { from: 0, to: 1000 }),
    middle: await reading.entries(oid, port, { from: 1, to: 3 }),
    byId: await Promise.all([0, 1, 2, 3, 9].map((entryId) => reading.entry(oid, port, entryId))),
    someNames: await Promise.all(
      ['', '1', 'true', 'undefined'].map((value) => reading.countEntries(oid, port, { member: 'absent', value })),
    ),
  }));
  return {
    objects: await Promise.all(oids.map((oid) => reading.object('main', oid))),
    ports: await Promise.all(ports),
  };
}

/** Applies a change set to the model; one that rejects leaves it as it was. */
async function modelAfter(model: Model, changeSet: ChangeSet): Promise<Model> {
  const next = model.copy();
  await workOf({ ...changeSet, rejects: false })(next.writing());
  return changeSet.rejects ? model : next;
}

/** The model's condition on an absent member compares with the text undefined; the store admits no entry then. */
function withoutAbsentMember(model: Model): Reading {
  const reading = model.writing();
  return {
    ...reading,
    countEntries: async (oid, port, condition) => (condition ? 0 : reading.countEntries(oid, port)),
  };
}

type Visit = (store: Store, work: () => Promise<unknown>) => Promise<unknown>;

const visits: readonly (readonly [string, Visit])[] = [
  ['read', (store, work) => store.read(work)],
  ['change', (store, work) => store.change(work)],
];
const pairs = visits.flatMap(([outerName, outer]) =>
  visits.map(([innerName, inner]) => [innerName, outerName, inner, outer] as const),
);

const nothing = async (): Promise<void> => undefined;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describeStores(({ open, runs }) => {
  test('keeps what the model keeps, whatever is written together and whichever change sets reject', async () => {
    const groups = fc.array(fc.array(changeSetArbitrary, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(groups, fc.nat(3), (turns, longestMove) =>
        withStore(open(longestMove), async (store) => {
          let model = new Model();
          for (const turn of turns) {
            const results = await Promise.allSettled(turn.map((changeSet) => store.change(workOf(changeSet))));
            expect(results.map((result) => result.status === 'rejected')).toEqual(
              turn.map((changeSet) => changeSet.rejects),
            );
            for (const changeSet of turn) model = await modelAfter(model, changeSet);
            expect(await store.read(contentsOf)).toEqual(await contentsOf(withoutAbsentMember(model)));
          }
        }),
      ),
      { numRuns: runs(150) },
    );
  });

  test('admits exactly the entries whose member equals the value, in order, counted in the range', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('x', 'y', 'z')), fc.nat(10), fc.nat(10), (texts, from, length) =>
        withStore(open(), async (store) => {
          await store.change(async (writing) =>
            writing.appendEntries(
              'a',
              'files',
              texts.map((text, position) => ({ text, position })),
            ),
          );
          const condition = { member: 'text', value: 'x' };
          const positions = texts.flatMap((text, position) => (text === 'x' ? [position] : []));
          const range = { from, to: from + length };
          const read = await store.read((reading) => reading.entries('a', 'files', range, condition));
          expect(read.map((entry) => entry.content['position'])).toEqual(positions.slice(from, from + length));
          expect(await store.read((reading) => reading.countEntries('a', 'files', condition))).toBe(positions.length);
        }),
      ),
      { numRuns: runs(100) },
    );
  });

  describe('ordinal ranges', () => {
    test.each([
      [{ from: 0, to: 0 }, []],
      [{ from: 9, to: 10 }, [10]],
      [{ from: 10, to: 11 }, [11]],
      [{ from: 11, to: 12 }, []],
      [{ from: 10, to: 20 }, [11]],
    ])('of 11 entries %o are the ids %o', async (range, ids) => {
      await withStore(open(), async (store) => {
        await store.change((writing) =>
          writing.appendEntries(
            'a',
            'files',
            Array.from({ length: 11 }, () => ({})),
          ),
        );
        const entries = await store.read((reading) => reading.entries('a', 'files', range));
        expect(entries.map((entry) => entry.entryId)).toEqual(ids);
      });
    });

    test.each([
      { from: -1, to: 0 },
      { from: 1, to: 0 },
      { from: 0.5, to: 1 },
      { from: 0, to: Infinity },
    ])('refuses %o', async (range) => {
      await withStore(open(), async (store) => {
        await expect(store.read((reading) => reading.entries('a', 'files', range))).rejects.toThrow(RangeError);
      });
    });
  });

  test('replacing keeps a known id once, in the new order, and never gives an old id again', async () => {
    await withStore(open(), async (store) => {
      const ids = await store.change(async (writing) => {
        await writing.appendEntries('a', 'files', [{}, {}, {}]);
        await writing.removeEntry('a', 'files', 3);
        const items = [2, 2, 9, undefined, 1].map((entryId) => (entryId ? { entryId, content: {} } : { content: {} }));
        await writing.replaceEntries('a', 'files', items);
        await writing.replaceEntries('a', 'files', items);
        return (await writing.entries('a', 'files', { from: 0, to: 9 })).map((entry) => entry.entryId);
      });
      expect(ids).toEqual([2, 7, 8, 9, 1]);
    });
  });

  test('ordinals stay dense whatever is removed, and what is appended comes last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(59), { maxLength: 50 }), fc.nat(4), (removals, longestMove) =>
        withStore(open(longestMove), async (store) => {
          const left = Array.from({ length: 60 }, (_, index) => index + 1);
          await store.change(async (writing) => {
            await writing.appendEntries(
              'a',
              'files',
              left.map(() => ({})),
            );
            for (const ordinal of removals) {
              const [entryId] = left.splice(ordinal % left.length, 1);
              await writing.removeEntry('a', 'files', entryId ?? 0);
            }
            left.push(...(await writing.appendEntries('a', 'files', [{}, {}])));
          });
          const idsFrom = async (reading: Reading, from: number): Promise<readonly number[]> =>
            (await reading.entries('a', 'files', { from, to: from + 1 })).map((entry) => entry.entryId);
          const read = await store.read((reading) => Promise.all(left.map((_, ordinal) => idsFrom(reading, ordinal))));
          expect(read.flat()).toEqual(left);
        }),
      ),
      { numRuns: runs(100) },
    );
  });

  test('an object is found in its own space only', async () => {
    await withStore(open(), async (store) => {
      await store.change((writing) =>
        writing.insertObject({ spaceId: 'main', oid: 'a', softType: 'Document', version: 1, content: {} }),
      );
      expect(await store.read((reading) => reading.object('depot', 'a'))).toBeUndefined();
      await expect(store.change((writing) => writing.deleteObject('depot', 'a'))).rejects.toThrow('does not hold');
      expect(await store.read((reading) => reading.object('main', 'a'))).toMatchObject({ version: 1 });
    });
  });

  test('what is not there cannot be changed', async () => {
    await withStore(open(), async (store) => {
      await expect(store.change((writing) => writing.updateObject('main', 'a', 2, {}))).rejects.toThrow(
        'does not hold',
      );
      await expect(store.change((writing) => writing.updateEntry('a', 'files', 1, {}))).rejects.toThrow(
        'does not hold',
      );
      await expect(store.change((writing) => writing.removeEntry('a', 'files', 1))).rejects.toThrow('does not hold');
    });
  });

  test('a read sees nothing of a change set before its commit, and a change set sees what the one before it wrote', async () => {
    await withStore(open(), async (store) => {
      const started = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const first = store.change(async (writing) => {
        await writing.putDocument('profile', 'cora', 'first');
        started.resolve();
        await held.promise;
        await writing.putDocument('profile', 'edda', 'first');
      });
      const second = store.change((writing) => writing.document('profile', 'cora'));
      const both = (): Promise<readonly (string | undefined)[]> =>
        store.read((reading) => Promise.all(['cora', 'edda'].map((id) => reading.document('profile', id))));
      await started.promise;
      const early = both();
      await new Promise((resolve) => setImmediate(resolve));
      held.resolve();
      const seen = await early;
      expect(seen).toEqual([seen[0], seen[0]]);
      await first;
      expect(await second).toBe('first');
      expect(await both()).toEqual(['first', 'first']);
    });
  });

  test('a read that takes several turns sees one state', async () => {
    await withStore(open(), async (store) => {
      const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const read = store.read(async (reading) => {
        const before = await reading.document('profile', 'cora');
        begun.resolve();
        await held.promise;
        return [before, await reading.document('profile', 'cora')];
      });
      await begun.promise;
      const change = store.change((writing) => writing.putDocument('profile', 'cora', 'new'));
      await new Promise((resolve) => setImmediate(resolve));
      held.resolve();
      expect(await read).toEqual([undefined, undefined]);
      await change;
    });
  });

  describe.each(pairs)('a %s inside the work of a %s', (innerName, outerName, inner, outer) => {
    test('rejects with what to do, at whatever depth, and leaves the store as it was', () =>
      withStore(open(), async (store) => {
        const nested = outer(store, async () => {
          await turn();
          await inner(store, nothing);
        });
        await expect(nested).rejects.toThrow(NestedStoreError);
        await expect(nested).rejects.toThrow(`store.${innerName}() inside the work of a store.${outerName}()`);
        await expect(inner(store, async () => 'free')).resolves.toBe('free');
      }));

    test('is let through once that work is over, where it is detached, or in another store', () =>
      withStore(open(), (store) =>
        withStore(open(), async (other) => {
          let later: Promise<unknown> = Promise.resolve();
          let beside: Promise<unknown> = Promise.resolve();
          const over = Promise.withResolvers<void>();
          await outer(store, async () => {
            later = over.promise.then(() => inner(store, async () => 'later'));
            beside = detach(() => inner(store, async () => 'beside'));
            await inner(other, nothing);
          });
          over.resolve();
          expect(await Promise.all([later, beside])).toEqual(['later', 'beside']);
        }),
      ));
  });
});
