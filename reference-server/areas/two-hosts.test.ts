import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc, { type Scheduler } from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { loadConfiguration } from '../load-configuration.ts';
import { Refusal } from '../http/refusal.ts';
import { type Areas, composeAreas, rightAreas } from '../areas.ts';
import { Outgoing } from '../ports/outgoing.ts';
import { uploadComplete } from './file-areas.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import type { Store } from '../ports/store.ts';
import { openFileStore } from '../ports/disk.ts';
import { PlaceTaken, type FilePlace, type FileStore } from '../ports/file-store.ts';
import { bytesOf, md5 } from './world.fixture.ts';
import type { Chunk } from './chunks.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

const configuration = loadConfiguration();
const store = openSqliteStore();
const folder = makeFolder();
let round = 0;

afterAll(() => store.close());

/** A host whose steps wait for their turn among those of the others. */
function host(scheduler: Scheduler): Areas {
  return composeAreas(rightAreas, {
    store: inSteps(store, ['read', 'change'], scheduler),
    fileStore: inSteps(
      openFileStore(folder),
      ['describe', 'begin', 'openToGrow', 'open', 'write', 'remove'],
      scheduler,
    ),
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
    configuration,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    outgoing: new Outgoing(),
  });
}

/** What is asked for begins when the scheduler says so, and is told when it says so. */
function inSteps<T extends Store | FileStore>(port: T, names: readonly (keyof T & string)[], scheduler: Scheduler): T {
  const steps = names.map((name) => {
    const right = port[name] as (...given: unknown[]) => Promise<unknown>;
    const step = async (...given: readonly unknown[]): Promise<unknown> => {
      await scheduler.schedule(Promise.resolve(), `${name} begins`);
      const result = await right.apply(port, [...given]);
      await scheduler.schedule(Promise.resolve(), `${name} is over`);
      return result;
    };
    return [name, step] as const;
  });
  return { ...port, ...Object.fromEntries(steps) };
}

function chunksOf(file: Buffer, chunkSize: number): readonly Chunk[] {
  const totalChunks = Math.ceil(file.length / chunkSize);
  return Array.from({ length: totalChunks }, (_, index) => {
    const bytes = file.subarray(index * chunkSize, (index + 1) * chunkSize);
    const about = {
      totalSize: file.length,
      chunkSize,
      totalChunks,
      type: 'text/csv',
      fileName: 'x',
      relativePath: 'x',
    };
    return { ...about, number: index + 1, pieces: [bytes], size: bytes.length, md5: md5(bytes) };
  });
}

/** Status of the answer that the client would get. */
async function sent(service: Areas, place: FilePlace, chunk: Chunk): Promise<number> {
  try {
    const progress = await service.fileAreas.inTurn(place, () => service.chunks.storeChunk(place, chunk));
    return uploadComplete(progress) ? 201 : 200;
  } catch (error) {
    if (error instanceof Refusal) return error.status;
    throw error;
  }
}

async function contentOf({ fileStore }: Areas, place: FilePlace): Promise<Buffer | undefined> {
  const stream = await fileStore.read(place);
  return stream && buffer(stream);
}

const isWhole = async (service: Areas, place: FilePlace): Promise<boolean> =>
  (await service.fileStore.describe(place)) !== undefined &&
  (await service.fileAreas.uploadUnderWay(place)) === undefined;

function freshPlace(): FilePlace {
  round += 1;
  return { area: { kind: 'space', spaceId: 'main' }, segments: [`file ${round}`] };
}

/** A host of its own for whoever looks at what became of it. */
const witness = (): Areas => ({ ...host({ schedule: (task: Promise<unknown>) => task } as unknown as Scheduler) });

test('chunks that come to two hosts at once make one file, which is whole when all have come and not before', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.uniqueArray(fc.constantFrom(0, 1, 2), { minLength: 1 }),
      async (scheduler, numbers) => {
        const place = freshPlace();
        const file = bytesOf(2500, round);
        const hosts = [host(scheduler), host(scheduler)];
        const chunks = numbers.flatMap((index) => chunksOf(file, 1000)[index] ?? []);
        const answers = Promise.all(chunks.map((chunk, index) => sent(hosts[index % 2] ?? witness(), place, chunk)));
        const statuses = await scheduler.waitFor(answers);
        expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
        expect(await isWhole(witness(), place)).toBe(chunks.length === 3);
        expect(statuses.includes(201)).toBe(chunks.length === 3);
        const found = await contentOf(witness(), place);
        for (const { number, pieces } of chunks)
          expect(found?.subarray((number - 1) * 1000, number * 1000).equals(pieces[0] ?? Buffer.of())).toBe(true);
        if (chunks.length === 3)
          expect(await witness().fileAreas.fileRecordOf(place, await stampAt(place))).toEqual({ type: 'text/csv' });
      },
    ),
    { numRuns: 150 },
  );
});

async function stampAt(place: FilePlace): Promise<string> {
  const info = await witness().fileStore.describe(place);
  return info?.kind === 'file' ? info.stamp : '';
}

test('of two uploads that begin on two hosts at once one goes on, and the other is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const place = freshPlace();
      const uploads = [chunksOf(bytesOf(2500, 1), 1000), chunksOf(bytesOf(900, 2), 500)];
      const statuses = await scheduler.waitFor(
        Promise.all(uploads.map(([first]) => first && sent(host(scheduler), place, first))),
      );
      expect(statuses.toSorted()).toEqual([200, 409]);
      expect(await isWhole(witness(), place)).toBe(false);
      const [winner = []] = uploads.filter((_, index) => statuses[index] === 200);
      const rest: number[] = [];
      for (const chunk of winner.slice(1)) rest.push(await sent(witness(), place, chunk));
      expect(rest.at(-1)).toBe(201);
      expect((await contentOf(witness(), place))?.equals(Buffer.concat(winner.flatMap(({ pieces }) => pieces)))).toBe(
        true,
      );
      expect(await uploadsKeptOf(place)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

async function uploadsKeptOf({ segments }: FilePlace): Promise<readonly string[]> {
  const kept = await store.read((reading) => reading.documents('upload'));
  return kept.map(({ id }) => id).filter((id) => id.includes(encodeURIComponent(segments.join('/'))));
}

test('a file that is begun anew, as the one before is deleted on another host, is known to be partial', async () => {
  const place = freshPlace();
  const [first, second] = chunksOf(bytesOf(2500, round), 1000);
  if (!first || !second) throw new Error('Expected two chunks.');
  await sent(witness(), place, first);
  const { fileStore, ...ports } = witness();
  const remove = async (gone: FilePlace): Promise<boolean> => {
    const removed = await fileStore.remove(gone);
    expect(await sent(witness(), place, second)).toBe(200);
    return removed;
  };
  expect(
    await composeAreas(rightAreas, { ...ports, fileStore: { ...fileStore, remove } }).files.deleteFile(place),
  ).toBe(true);
  expect(await isWhole(witness(), place)).toBe(false);
});

test('a file that is deleted on one host while chunks come to another is gone, or begun anew and known to be partial', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const place = freshPlace();
      const [first, second, third] = chunksOf(bytesOf(2500, round), 1000);
      if (!first || !second || !third) throw new Error('Expected three chunks.');
      expect(await sent(witness(), place, first)).toBe(200);
      const [status, removed] = await scheduler.waitFor(
        Promise.all([sent(host(scheduler), place, second), host(scheduler).files.deleteFile(place)]),
      );
      expect(removed).toBe(true);
      expect([200, 409]).toContain(status);
      expect(await isWhole(witness(), place)).toBe(false);
      const is = [
        await sent(witness(), place, first),
        await sent(witness(), place, third),
        await sent(witness(), place, second),
      ];
      expect(is).toContain(201);
    }),
    { numRuns: 100 },
  );
});

test('a whole file that takes the place of a deleted one keeps its bytes, while a chunk of that one comes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const place = freshPlace();
      const [first, second] = chunksOf(bytesOf(2500, round), 1000);
      if (!first || !second) throw new Error('Expected two chunks.');
      expect(await sent(witness(), place, first)).toBe(200);
      const whole = bytesOf(3000, round + 1);
      const other = host(scheduler);
      const replaced = async (): Promise<void> => {
        await other.files.deleteFile(place);
        await stored(other, place, whole);
      };
      const [status] = await scheduler.waitFor(
        Promise.all([sent(host(scheduler), place, second), settled(replaced())]),
      );
      expect([200, 409]).toContain(status);
      if (await isWhole(witness(), place)) expect((await contentOf(witness(), place))?.equals(whole)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

/** As a stream that comes. */
async function stored(service: Areas, place: FilePlace, content: Buffer): Promise<void> {
  await service.fileStore.write(place, Readable.from([content]), {
    accept: ({ md5, stamp }) => service.fileAreas.keepFileRecord(place, stamp, { type: 'text/csv', md5 }),
  });
}

/** The chunk may have begun an upload anew, which keeps the whole file out. */
async function settled(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof PlaceTaken)) throw error;
  });
}
