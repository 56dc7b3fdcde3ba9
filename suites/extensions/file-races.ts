import { type Arbitrary, type AsyncCommand, constant, constantFrom, integer, nat, oneof, record } from 'fast-check';
import { type CaseContext, model, race, scenario, type ServiceCase } from '../../judge/case.ts';
import { areSimultaneous, tooFewAtOnce } from '../../judge/races.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { expectNothingAt, holdsBytes, isSuccess } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import { areaByArea, expectBytes, inEvery, readsBack, whereServed } from './file-areas.ts';

export interface HistoryOptions {
  /** Paths that come into play, below a directory that nobody else uses. */
  readonly paths: readonly string[];
  /** Areas that share a history, each step in one of them; each group gets histories of its own. */
  readonly groups: (declared: readonly FileArea[]) => readonly (readonly FileArea[])[];
  /** Whether uploads onto files and deletions of missing ones are tried too. */
  readonly refusals: boolean;
  /** Most steps of one history. */
  readonly steps: number;
  readonly share?: number;
}

/** What an area holds: bytes by path. */
type AreaModel = Map<string, Uint8Array>;

/** One model an area, in the order of the areas. */
type Models = readonly AreaModel[];

interface Real {
  readonly context: CaseContext;
  readonly areas: readonly FileArea[];
  readonly root: string;
}

interface Step {
  readonly kind: 'upload' | 'download' | 'remove';
  readonly path: string;
  /** Length of what an upload sends, in bytes. */
  readonly length: number;
  /** Chooses between the areas. */
  readonly area: number;
}

/** A step that is compared with the model: uploads fail on a present path, the others on an absent one. */
class FileCommand implements AsyncCommand<Models, Real> {
  readonly #step: Step;
  readonly #refusals: boolean;

  constructor(step: Step, refusals: boolean) {
    this.#step = step;
    this.#refusals = refusals;
  }

  check(models: Models): boolean {
    const { kind, path, area } = this.#step;
    if (this.#refusals || kind === 'download') return true;
    return models[area % models.length]?.has(path) === (kind === 'remove');
  }

  async run(models: Models, { context, areas, root }: Real): Promise<void> {
    const index = this.#step.area % areas.length;
    const [area, held] = [areas[index], models[index]];
    if (area === undefined || held === undefined) return;
    const place = { context, area, key: this.#step.path, path: `${root}/${this.#step.path}` };
    await whereServed(context, [area], () => this.#follow(place, held));
  }

  async #follow(place: Place, held: AreaModel): Promise<void> {
    const { kind, length } = this.#step;
    if (kind === 'upload') await uploads(place, held, length);
    else if (kind === 'download') await downloads(place, held);
    else await removes(place, held);
  }

  toString(): string {
    const { kind, path, length, area } = this.#step;
    return `${kind} ${path} in area ${area}${kind === 'upload' ? ` (${length} bytes)` : ''}`;
  }
}

interface Place {
  readonly context: CaseContext;
  readonly area: FileArea;
  /** Of the model. */
  readonly key: string;
  readonly path: string;
}

/** How a path of the kind `../../space/main` is written into a URL. */
export type Spelling = (chain: string) => string;

/** Ways to write separators and dots that a check before decoding does not see. */
export const encodings: Readonly<Record<string, Spelling>> = {
  'encoded slashes': (chain) => chain.replaceAll('/', '%2F'),
  'encoded backslashes': (chain) => chain.replaceAll('/', '%5C'),
  'encoded dots': (chain) => chain.replaceAll('..', '%2e%2e'),
  'encoded dots and slashes': (chain) => chain.replaceAll('..', '%2E%2E').replaceAll('/', '%2f'),
  'dots and slashes encoded twice': (chain) => chain.replaceAll('..', '%252e%252e').replaceAll('/', '%252f'),
};

/** Files that a system has, by a text that only they hold. */
export const systemFiles: readonly { readonly path: string; readonly holds: string }[] = [
  { path: 'etc/passwd', holds: 'root:' },
  { path: 'windows/win.ini', holds: '[fonts]' },
];

const most = 3;

/** More steps up than any folder is deep. */
export const toTheTop = '../'.repeat(16);

const uploadsOfRace = 8;

const rounds = 10;

const names = 12;

export const fileRaceRules = rules('files', {
  'files.directories.edge-behaviour': {
    level: 'observe',
    source: 'extensions: File routes (silent on directories)',
    statement:
      'Uploading below a file or onto a directory, GET and DELETE on a directory, and the life of an emptied directory have no documented result.',
    fault: 'Not applicable as a failure; recorded variant: recursive delete.',
    needs: ['file-area-any'],
    test: scenario(async ({ given, files, notes }) => {
      const area = files.any;
      const root = given.unique('directories');
      const first = await given.file({ area, path: `${root}/x` });
      const inside = await given.file({ area, path: `${root}/d/f` });
      const replies: Record<string, Reply> = {
        'upload below a file': await files.upload(area, `${root}/x/y`, given.bytes(20)),
        'upload onto a directory': await files.upload(area, `${root}/d`, given.bytes(20)),
        'GET of a directory': await files.download(area, `${root}/d`),
        'GET of a directory with a slash': await files.download(area, `${root}/d/`, { raw: true }),
        'DELETE of a directory that holds a file': await files.remove(area, `${root}/d`),
      };
      for (const { path, bytes } of [first, inside]) {
        const reply = await files.download(area, path);
        replies[`GET of ${path.slice(root.length + 1)} after that`] = reply;
        notes.observe(`${path.slice(root.length + 1)} is as it was`, holdsBytes(reply, bytes), reply);
      }
      replies['DELETE of the last file of a directory'] = await files.remove(area, inside.path);
      replies['listing of the emptied directory'] = await files.directory(area, `${root}/d`);
      tell(notes, replies);
    }),
  },
  'files.stream.concurrent-same-name': {
    level: 'should',
    source: 'extensions: File routes, row 1 (fails when the file exists, under a race)',
    statement:
      'Of several simultaneous stream uploads to one new path exactly one succeeds, and the stored bytes are those of the one that succeeded.',
    fault: 'Uploads that lost the race for a path are answered 2xx.',
    needs: ['file-area-any'],
    after: ['files.stream.existing-file-refused'],
    test: race(
      async (context) => {
        const { files, notes, given } = context;
        let overlapping = 0;
        for (let round = 0; round < rounds; round += 1) {
          const area = files.areas[round % files.areas.length] ?? files.any;
          await whereServed(context, [area], async () => {
            if (await oneWins(context, area)) overlapping += 1;
          });
        }
        notes.observe('rounds in which the uploads overlapped', overlapping);
        if (overlapping < rounds / 2) given.inconclusive(tooFewAtOnce);
      },
      { rounds: 1 },
    ),
  },
  'files.stream.concurrent-new-directory': {
    level: 'must',
    source: 'extensions: File routes, row 1 (directories are created)',
    statement: 'Simultaneous uploads of different files into the same not yet existing directory all succeed.',
    fault: 'Directory creation fails when another request created it a moment earlier.',
    needs: ['file-area-any'],
    after: ['files.stream.nested-directories-created'],
    test: race((context) => inEvery(context, context.files.areas, (area) => allAreStored(context, area)), {
      rounds: 1,
    }),
  },
  'files.stream.cut-body': {
    level: 'observe',
    source: 'extensions: File routes (silent on broken connections)',
    statement: "What remains when the client's connection breaks in the middle of a stream upload is not said.",
    fault: 'Not applicable as a failure; recorded variant: half of the file is served.',
    needs: ['file-area-any'],
    test: scenario(async ({ given, files, service, notes }) => {
      const area = files.any;
      const path = given.filePath();
      const bytes = given.bytes(60_000);
      const request = files.uploadRequest(area, path, bytes);
      given.bookFile(area, path);
      await service.abandon(request, {
        body: bytes.subarray(0, 30_000),
        headers: { 'Content-Length': String(bytes.byteLength) },
      });
      const partial = await files.download(area, path);
      notes.observe('GET after the connection broke in the middle of the body', partial.status, partial);
      if (isSuccess(partial.status))
        notes.remark(
          `${partial.bytes.byteLength} of ${bytes.byteLength} bytes are served after the connection broke.`,
          partial,
        );
      const retry = await files.upload(area, path, bytes);
      notes.observe('the whole upload after that', retry.status, retry);
    }),
  },
  'files.statuses.recorded': {
    level: 'observe',
    source: 'extensions: File routes, sentence on success status codes; Errors, rule 6',
    statement:
      'Success codes, failure codes and error bodies of the file routes are not documented; other rules use the class 2xx or not 2xx only, and the exact values are recorded.',
    fault: 'Not applicable as a failure; recorded variant: 500 for a missing file.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      const { notes, files } = context;
      const seen = await Promise.all(
        files.areas.map(async (area) => ({
          area,
          replies: { ...(await successes(context, area)), ...(await failures(context, area)) },
        })),
      );
      for (const { area, replies } of seen) {
        for (const [what, reply] of Object.entries(replies)) {
          notes.observe(`${area.name}: ${what}`, `${reply.status} ${shapeOf(reply)}`, reply);
          notes.remarkServerError(reply);
        }
      }
    }),
  },
  'files.download.response-headers': {
    level: 'observe',
    source: 'extensions: File routes, row 3; core: Common request headers (ETag on data other than SoftTypes)',
    statement:
      'Content-Type, Content-Length, Content-Disposition, ETag and range support of a download are not described for files; they are recorded.',
    fault: 'Not applicable as a failure; recorded variant: application/octet-stream for everything.',
    needs: ['file-area-any'],
    test: areaByArea(async ({ given, files, notes }, area) => {
      const { path } = await given.file({ area, bytes: given.bytes(300), contentType: 'text/csv' });
      const reply = await files.download(area, path);
      for (const name of ['Content-Type', 'Content-Length', 'Content-Disposition', 'ETag', 'Accept-Ranges'])
        notes.observe(
          `${area.name}: ${name} of a download`,
          toldHeader(name, reply.headers[name.toLowerCase()]),
          reply,
        );
      const tag = reply.headers['etag'];
      if (tag !== undefined)
        notes.observe(
          `${area.name}: If-None-Match with that ETag`,
          (await files.download(area, path, { headers: { 'If-None-Match': tag } })).status,
        );
      const part = await files.download(area, path, { headers: { Range: 'bytes=0-9' } });
      notes.observe(`${area.name}: Range of ten bytes`, `${part.status}, ${part.bytes.byteLength} bytes`, part);
    }),
  },
  'files.dir.route-exists': {
    level: 'observe',
    source: 'extensions: File areas, sentence on `fs/dir`',
    statement:
      'A listing route under `fs/dir` is said to exist; its method, sub-path form and fields are not shown, so its answer is recorded.',
    fault: 'Not applicable as a failure; recorded variant: 404.',
    needs: ['file-area-any'],
    test: areaByArea(async ({ given, files, notes }, area) => {
      const { path } = await given.file({ area });
      const [directory = '', name = ''] = path.split('/');
      const listings = {
        'the root': await files.directory(area),
        'a directory': await files.directory(area, directory),
      };
      for (const [what, reply] of Object.entries(listings)) {
        notes.observe(`${area.name}: listing of ${what}`, `${reply.status} ${shapeOf(reply)}`, reply);
        notes.remarkServerError(reply);
      }
      notes.observe(`${area.name}: an uploaded name is listed`, listings['a directory'].text.includes(name));
      notes.observe(
        `${area.name}: listing without a credential`,
        (await files.directory(area, directory, { as: null })).status,
      );
    }),
  },
});

/** Random histories of uploads, downloads and deletions, compared with a map from path to bytes for each area. */
export function fileHistories({ groups, share = 1, ...options }: HistoryOptions): ServiceCase {
  return {
    kind: 'model',
    run: async (context, generation) => {
      const all = groups(context.files.areas);
      for (const [index, areas] of all.entries())
        await historiesOf(areas, { ...options, share: share / all.length }).run(context, {
          ...generation,
          seed: generation.seed + index,
        });
    },
  };
}

function historiesOf(
  areas: readonly FileArea[],
  { paths, refusals, steps, share }: Omit<HistoryOptions, 'groups'> & { readonly share: number },
): ServiceCase {
  const command = stepAmong(paths).map((step) => new FileCommand(step, refusals));
  return model<Models, Real>(() => [command], {
    begin: async (context) => ({
      model: areas.map(() => new Map()),
      real: { context, areas, root: context.given.unique('history') },
    }),
    maxCommands: steps,
    share,
  });
}

function stepAmong(paths: readonly string[]): Arbitrary<Step> {
  const kind = oneof(
    { arbitrary: constant('upload' as const), weight: 4 },
    { arbitrary: constant('remove' as const), weight: 3 },
    { arbitrary: constant('download' as const), weight: 1 },
  );
  return record({ kind, path: constantFrom(...paths), length: integer({ min: 1, max: 400 }), area: nat({ max: 99 }) });
}

async function uploads({ context, area, key, path }: Place, held: AreaModel, length: number): Promise<void> {
  const { given, files, expect } = context;
  const bytes = given.bytes(length);
  const reply = await files.upload(area, path, bytes);
  if (held.has(key)) return expect(reply).notToSucceed();
  expect(reply).toSucceed();
  held.set(key, bytes);
}

async function downloads({ context, area, key, path }: Place, held: AreaModel): Promise<void> {
  const reply = await context.files.download(area, path);
  const bytes = held.get(key);
  if (bytes === undefined) context.expect(reply).notToSucceed();
  else expectBytes(context, reply, bytes);
}

async function removes({ context, area, key, path }: Place, held: AreaModel): Promise<void> {
  const reply = await context.files.remove(area, path);
  if (held.delete(key)) context.expect(reply).toSucceed();
  else context.expect(reply).notToSucceed();
  await expectNothingAt(context, area, path);
}

/** Chains that could lead from the folder of any area to that of this one, for some ways to lay them out; each ends in a slash. */
export function chainsTo(context: CaseContext, area: FileArea): readonly string[] {
  const depths = Array.from({ length: most }, (_, index) => '../'.repeat(index + 1));
  return depths.flatMap((up) => foldersOf(context, area).map((folder) => `${up}${folder}/`));
}

/** Where a service could keep an area: by the ids in its path, by kind first, or by the last id alone. */
function foldersOf({ profile }: CaseContext, { name, path, as }: FileArea): readonly string[] {
  const ids = path.replace(/^\/api\//, '').replace(/\/fs\/file$/, '');
  if (name === 'collection') return [ids];
  const [, space = '', , participant = ''] = ids.split('/');
  if (name === 'space') return [ids, space];
  const owner = name === 'user' ? (profile.all.identities[as]?.username ?? '') : participant;
  return [`space/${space}/${name}/${owner}`, `${name}/${space}/${owner}`, `${space}/${name}/${owner}`, owner];
}

/** One round: of several uploads to a new path one is accepted, and its bytes are stored. Tells whether the requests overlapped. */
async function oneWins(context: CaseContext, area: FileArea): Promise<boolean> {
  const { given, files, expect } = context;
  const path = given.filePath();
  const bodies = Array.from({ length: uploadsOfRace }, (_, index) => given.bytes(1500 + index));
  const replies = await Promise.all(bodies.map((bytes) => files.upload(area, path, bytes)));
  const winners = replies.filter(({ status }) => isSuccess(status));
  expect(winners.length, `uploads of ${uploadsOfRace} to one new path that succeed`, winners[1] ?? replies[0]).toEqual(
    1,
  );
  const winner = replies.findIndex(({ status }) => isSuccess(status));
  const bytes = bodies[winner];
  if (bytes !== undefined) expectBytes(context, await files.download(area, path), bytes);
  return areSimultaneous(replies);
}

async function allAreStored(context: CaseContext, area: FileArea): Promise<void> {
  const { given, files, expect } = context;
  const directory = `${given.unique('new')}/one/two`;
  const all = Array.from({ length: names }, (_, index) => ({
    path: `${directory}/${index}.bin`,
    bytes: given.bytes(300 + index),
  }));
  const replies = await Promise.all(all.map(({ path, bytes }) => files.upload(area, path, bytes)));
  for (const reply of replies) expect(reply).toSucceed();
  await Promise.all(all.map(({ path, bytes }) => readsBack(context, area, path, bytes)));
}

async function successes({ given, files }: CaseContext, area: FileArea): Promise<Record<string, Reply>> {
  const [path, chunked] = [given.filePath(), given.filePath()];
  const chunkSize = 1000;
  const [first, middle, last] = await files.chunks(area, { path: chunked, file: given.bytes(2500), chunkSize });
  return {
    upload: await files.upload(area, path, given.bytes(100)),
    download: await files.download(area, path),
    deletion: await files.remove(area, path),
    ...(first && { 'first chunk': first }),
    ...(middle && { 'middle chunk': middle }),
    ...(last && { 'last chunk': last }),
  };
}

async function failures({ given, files }: CaseContext, area: FileArea): Promise<Record<string, Reply>> {
  const { path, bytes } = await given.file({ area });
  const fresh = given.filePath();
  return {
    'download of a missing file': await files.download(area, fresh),
    'deletion of a missing file': await files.remove(area, fresh),
    'upload onto a file': await files.upload(area, path, bytes),
    'upload with a wrong checksum': await files.upload(area, fresh, bytes, {
      checksum: files.checksumOf(bytes.subarray(1)),
    }),
    'upload without a checksum': await files.upload(area, fresh, bytes, { checksum: null }),
    'download without a credential': await files.download(area, path, { as: null }),
    'upload without a credential': await files.upload(area, fresh, bytes, { as: null }),
  };
}

function tell(notes: CaseContext['notes'], replies: Readonly<Record<string, Reply>>): void {
  for (const [what, reply] of Object.entries(replies)) {
    notes.observe(what, reply.status, reply);
    notes.remarkServerError(reply);
  }
}

/** Media type and member names, so that a fingerprint does not depend on what the file is called. */
function shapeOf({ json, headers }: Reply): string {
  const type = headers['content-type']?.split(';')[0] ?? 'no media type';
  const sample: unknown = Array.isArray(json) ? json[0] : json;
  const members = typeof sample === 'object' && sample !== null ? Object.keys(sample).sort().join(', ') : '';
  return members === '' ? type : `${type} {${members}}`;
}

/** Whether there is one, where the text itself differs from file to file. */
function toldHeader(name: string, value: string | undefined): string {
  if (value === undefined) return 'none';
  if (name === 'ETag') return value.startsWith('W/') ? 'a weak one' : 'a strong one';
  return name === 'Content-Disposition' ? (value.split(';')[0] ?? '') : value;
}
