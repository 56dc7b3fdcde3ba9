import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { Model } from './sqlite/model.ts';
import { schemaSql } from './sqlite/schema.ts';
import { openSqliteStore, storeOver } from './sqlite.ts';
import type { Content, Reading, Store, Writing } from './store.ts';

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

/** With a small `longestMove`, arrays of a few entries keep gaps as long ones do. */
function storeInMemory(longestMove: number): Store {
  const database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
  return storeOver(database, longestMove);
}

async function withStore<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

test('keeps what the model keeps, whatever is written together and whichever change sets reject', async () => {
  const groups = fc.array(fc.array(changeSetArbitrary, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(groups, fc.nat(3), (turns, longestMove) =>
      withStore(storeInMemory(longestMove), async (store) => {
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
    { numRuns: 150 },
  );
});

/** The model's condition on an absent member compares with the text undefined; the store admits no entry then. */
function withoutAbsentMember(model: Model): Reading {
  const reading = model.writing();
  return {
    ...reading,
    countEntries: async (oid, port, condition) => (condition ? 0 : reading.countEntries(oid, port)),
  };
}

test('admits exactly the entries whose member equals the value, in order, counted in the range', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('x', 'y', 'z')), fc.nat(10), fc.nat(10), (texts, from, length) =>
      withStore(openSqliteStore(), async (store) => {
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
    await withStore(openSqliteStore(), async (store) => {
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
    await withStore(openSqliteStore(), async (store) => {
      await expect(store.read((reading) => reading.entries('a', 'files', range))).rejects.toThrow(RangeError);
    });
  });
});

test('replacing keeps a known id once, in the new order, and never gives an old id again', async () => {
  await withStore(openSqliteStore(), async (store) => {
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
      withStore(storeInMemory(longestMove), async (store) => {
        const left = Array.from({ length: 60 }, (_, index) => index + 1);
        await store.change(async (writing) => {
          await writing.appendEntries('a', 'files', left.map(() => ({})));
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
  );
});

test('a long array moves no entry when one goes, a short run moves up', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
  const changes = (): number => Number(database.prepare('SELECT total_changes() AS changes').get()?.['changes']);
  await withStore(storeOver(database, 10), async (store) => {
    const contents = Array.from({ length: 1000 }, () => ({}));
    await store.change((writing) => writing.appendEntries('a', 'files', contents));
    const counted = async (entryId: number): Promise<number> => {
      const before = changes();
      await store.change((writing) => writing.removeEntry('a', 'files', entryId));
      return changes() - before;
    };
    const places = await store.read((reading) => reading.entries('a', 'files', { from: 990, to: 991 }));
    expect(places.map((entry) => entry.entryId)).toEqual([991]);
    expect([await counted(1), await counted(2), await counted(991), await counted(500)]).toEqual([2, 2, 11, 2]);
    const left = await store.read((reading) => reading.entries('a', 'files', { from: 0, to: 1000 }));
    const ids = contents.map((_, index) => index + 1).filter((id) => ![1, 2, 500, 991].includes(id));
    expect(left.map((entry) => entry.entryId)).toEqual(ids);
    const last = await store.read((reading) => reading.entries('a', 'files', { from: 990, to: 996 }));
    expect(last.map((entry) => entry.entryId)).toEqual(ids.slice(990));
  });
});

test('an object is found in its own space only', async () => {
  await withStore(openSqliteStore(), async (store) => {
    await store.change((writing) =>
      writing.insertObject({ spaceId: 'main', oid: 'a', softType: 'Document', version: 1, content: {} }),
    );
    expect(await store.read((reading) => reading.object('depot', 'a'))).toBeUndefined();
    await expect(store.change((writing) => writing.deleteObject('depot', 'a'))).rejects.toThrow('does not hold');
    expect(await store.read((reading) => reading.object('main', 'a'))).toMatchObject({ version: 1 });
  });
});

test('what is not there cannot be changed', async () => {
  await withStore(openSqliteStore(), async (store) => {
    await expect(store.change((writing) => writing.updateObject('main', 'a', 2, {}))).rejects.toThrow('does not hold');
    await expect(store.change((writing) => writing.updateEntry('a', 'files', 1, {}))).rejects.toThrow('does not hold');
    await expect(store.change((writing) => writing.removeEntry('a', 'files', 1))).rejects.toThrow('does not hold');
  });
});

test('a read never sees a group before its commit, and a change set sees what the one before it wrote', async () => {
  await withStore(openSqliteStore(), async (store) => {
    const started = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const first = store.change(async (writing) => {
      await writing.putDocument('profile', 'cora', 'first');
      started.resolve();
      await held.promise;
    });
    const second = store.change((writing) => writing.document('profile', 'cora'));
    await started.promise;
    let seen: string | undefined | null = null;
    const read = store.read(async (reading) => (seen = await reading.document('profile', 'cora')));
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toBeNull();
    held.resolve();
    await Promise.all([first, read]);
    expect(seen).toBe('first');
    expect(await second).toBe('first');
  });
});

test('a read that takes several turns sees one state', async () => {
  await withStore(openSqliteStore(), async (store) => {
    const held = Promise.withResolvers<void>();
    const read = store.read(async (reading) => {
      const before = await reading.document('profile', 'cora');
      await held.promise;
      return [before, await reading.document('profile', 'cora')];
    });
    const change = store.change((writing) => writing.putDocument('profile', 'cora', 'new'));
    await new Promise((resolve) => setImmediate(resolve));
    held.resolve();
    expect(await read).toEqual([undefined, undefined]);
    await change;
  });
});

test('a commit that fails loses the whole group, and the next group works', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
  database.exec(
    'CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)',
  );
  await withStore(storeOver(database), async (store) => {
    const group = [
      store.change((writing) => writing.putDocument('profile', 'cora', 'lost')),
      store.change(async () => database.exec('INSERT INTO child VALUES (1)')),
    ];
    const results = await Promise.allSettled(group);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    expect(await store.read((reading) => reading.document('profile', 'cora'))).toBeUndefined();
    await store.change((writing) => writing.putDocument('profile', 'cora', 'kept'));
    expect(await store.read((reading) => reading.document('profile', 'cora'))).toBe('kept');
  });
});

test('change sets of one turn share one commit', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
  const statements: string[] = [];
  const exec = database.exec.bind(database);
  database.exec = (sql) => (statements.push(sql), exec(sql));
  await withStore(storeOver(database), async (store) => {
    await Promise.all(['a', 'b', 'c'].map((id) => store.change((writing) => writing.putDocument('profile', id, id))));
    expect(statements.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
  });
});

describe('a file', () => {
  const inFolder = async (work: (file: string) => Promise<void>): Promise<void> => {
    const folder = mkdtempSync(join(tmpdir(), 'store-'));
    try {
      await work(join(folder, 'store.sqlite'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test('keeps everything until it is opened again', () =>
    inFolder(async (file) => {
      await withStore(openSqliteStore(file), (store) =>
        store.change((writing) => writing.appendEntries('a', 'files', [{ name: 'x' }])),
      );
      await withStore(openSqliteStore(file), async (store) => {
        expect(await store.read((reading) => reading.entry('a', 'files', 1))).toEqual({
          entryId: 1,
          content: { name: 'x' },
        });
      });
    }));

  test('holds a change set on disk as soon as it is answered, before the store is closed', () =>
    inFolder((file) =>
      withStore(openSqliteStore(file), async (store) => {
        await store.change((writing) => writing.putDocument('profile', 'cora', 'kept'));
        const other = openSqliteStore(file);
        await withStore(other, async () =>
          expect(await other.read((reading) => reading.document('profile', 'cora'))).toBe('kept'),
        );
      }),
    ));

  test('closing waits for what was asked for, and nothing can be asked for afterwards', () =>
    inFolder(async (file) => {
      const store = openSqliteStore(file);
      const change = store.change((writing) => writing.putDocument('profile', 'cora', 'kept'));
      await Promise.all([store.close(), change]);
      await expect(store.read(async () => undefined)).rejects.toThrow('closed');
      await expect(store.change(async () => undefined)).rejects.toThrow('closed');
    }));
});
