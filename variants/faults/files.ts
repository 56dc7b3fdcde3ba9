import { createHash } from 'node:crypto';
import type { Areas } from '../../reference-server/areas.ts';
import type { AreaKind } from '../../reference-server/areas/file-areas.ts';
import { claimsOf } from '../../reference-server/areas/tokens.ts';
import type { Call } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { FileArea, FilePlace } from '../../reference-server/ports/file-store.ts';
import { type Variant, type Variants, together, replaces } from '../breaks.ts';
import { keepsAnswers } from '../kept-answers.ts';

const areaFaults = {
  'files.collection-area.base-path': hideArea('collection'),
  'files.user-area.base-path': hideArea('user'),
  'files.participant-area.base-path': hideArea('participant'),
  'files.space-area.base-path': replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) =>
    area.kind === 'space' ? areas.auth.mayAdministrate(user) : right(areas, user, area, call),
  ),
} satisfies Variants;

const authFaults = {
  'files.auth.stream-missing-credential-401': openFor(isStreamUpload),
  'files.auth.chunk-missing-credential-401': openFor(isChunkUpload),
  'files.auth.download-missing-credential-401': openFor(
    ({ method, url }) => method === 'GET' && !url.includes('/fs/dir'),
  ),

  'files.auth.delete-missing-credential-401': replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
    const isAnonymous = call.method === 'DELETE' && areas.fileAreas.fileCredentialsOf(call) === undefined;
    const area = isAnonymous ? areaOfAnyone(areas, call, kind) : undefined;
    if (area !== undefined) await areas.files.deleteFile(areas.files.filePlaceOf(call, area));
    return right(areas, call, kind);
  }),

  'files.auth.invalid-bearer-refused': replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
    const given = areas.auth.credentialsOf(call.headers);
    const [header = '', payload = ''] = given?.scheme === 'bearer' ? given.token.split('.') : [];
    const isUnsigned = Buffer.from(header, 'base64url').toString('utf8').includes('"none"');
    const claims = isUnsigned ? claimsOf(Buffer.from(payload, 'base64url')) : undefined;
    return (claims && areas.configuration.users.get(claims.sub)) ?? right(areas, call);
  }),

  'files.auth.space-non-member-403': openToAll('space'),
  'files.auth.collection-non-admin-403': openToAll('collection'),
  'files.auth.upload-basic-pat': withoutCredentials('basic', 'POST'),
} satisfies Variants;

const deleteFaults = {
  // each server gets a store of its own
  'files.delete.removes-file': (classes) => {
    const kept = new Map<string, Buffer>();
    return together(
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const content = await areas.fileStore.read(place);
        if (content !== undefined) kept.set(keyOf(place), await whole(content));
        return right(areas, place);
      }),
      replaces('files', 'downloadFile', async (right, areas, call) => {
        const byLink = call.query.has('token') && call.headers['authorization'] === undefined;
        const raw = byLink ? kept.get(keyOf(areas.files.filePlaceOf(call, call.admitted))) : undefined;
        return raw === undefined ? right(areas, call) : { status: 200, headers: {}, raw };
      }),
    )(classes);
  },

  // each server gets a list of its own
  'files.delete.missing-file-fails': (classes) => {
    const deleted = new Set<string>();
    return replaces('files', 'deleteFile', async (right, areas, place) => {
      const there = await right(areas, place);
      if (there) deleted.add(keyOf(place));
      return there || deleted.has(keyOf(place));
    })(classes);
  },

  'files.delete.seen-undisturbed': keepsAnswers(
    ({ method, path }) => method === 'GET' && path.includes('/fs/'),
    ({ path }) => path.includes('/fs/'),
  ),

  'files.delete.leaves-siblings': replaces('files', 'deleteFile', async (right, areas, place) => {
    const removed = await right(areas, place);
    const directory = directoryOf(place);
    const name = place.segments.at(-1) ?? '';
    const siblings = (await areas.fileStore.list(directory)) ?? [];
    for (const sibling of siblings)
      if (removed && sibling.kind === 'file' && sibling.name.startsWith(name))
        await right(areas, { ...directory, segments: [...directory.segments, sibling.name] });
    return removed;
  }),

  'files.restart.same-files': deletedComesBack(),

  'files.delete.basic-pat': withoutCredentials('basic', 'DELETE'),
} satisfies Variants;

const downloadFaults = {
  'files.download.bearer': withoutCredentials('bearer', 'GET'),

  'files.download.query-token': replaces('fileAreas', 'queryCredentialsOf', () => undefined),

  'files.download.query-token-invalid-refused': replaces(
    'fileAreas',
    'authenticateFile',
    async (right, areas, call) => {
      const token = areas.auth.credentialsOf(call.headers) === undefined ? call.query.get('token') : null;
      const [, payload = ''] = token?.split('.') ?? [];
      const claims = payload === '' ? undefined : claimsOf(Buffer.from(payload, 'base64url'));
      const user = claims === undefined ? undefined : areas.configuration.users.get(claims.sub);
      return user ?? right(areas, call);
    },
  ),

  'files.download.basic-pat': withoutCredentials('basic', 'GET'),

  'files.download.basic-wrong-pat-refused': replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
    const given = areas.auth.credentialsOf(call.headers);
    const user =
      given?.scheme === 'basic' && given.secret === '' ? areas.configuration.users.get(given.name) : undefined;
    return user ?? right(areas, call);
  }),

  // what looks like UTF-16 is kept as UTF-8
  'files.download.bytes-identical': keeping((came) =>
    came[0] === 0xff && came[1] === 0xfe ? Buffer.from(came.toString('utf16le'), 'utf8') : came,
  ),

  'files.download.missing-file-fails': replaces('files', 'downloadFile', async (right, areas, call) => {
    try {
      return await right(areas, call);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      const directory = directoryOf(areas.files.filePlaceOf(call, call.admitted));
      const others = directory.segments.length === 0 ? [] : await areas.fileStore.list(directory);
      if (others === undefined || others.length === 0) throw error;
      return { status: 200 };
    }
  }),

  'files.download.missing-file-404': replaces(
    'files',
    'missingFile',
    () => new Refusal(500, 'The file could not be opened.'),
  ),
} satisfies Variants;

/** Space and participant that others are taken for. */
const firstSpaceId = 'main';

const firstParticipantId = 'owner';

const isolationFaults = {
  'files.isolation.between-areas': storedAs((area) =>
    area.kind === 'collection' ? { kind: 'space', spaceId: firstSpaceId } : area,
  ),
  'files.isolation.between-users': storedAs((area) =>
    area.kind === 'user' ? { ...area, userName: 'everybody' } : area,
  ),
  'files.isolation.between-participants': storedAs((area) =>
    area.kind === 'participant' ? { ...area, participantId: firstParticipantId } : area,
  ),
  'files.isolation.between-spaces': storedAs((area) =>
    area.kind === 'space' ? { ...area, spaceId: firstSpaceId } : area,
  ),

  // every second deletion in a directory that holds more; each server counts by itself
  'files.area.model-sequence': (classes) => {
    const deletions = new Map<string, number>();
    return replaces('files', 'deleteFile', async (right, areas, place) => {
      const directory = directoryOf(place);
      const info = await areas.fileStore.describe(place);
      const entries = (await areas.fileStore.list(directory)) ?? [];
      const isOneOfMany = info?.kind === 'file' && entries.length > 1;
      const count = (deletions.get(keyOf(directory)) ?? 0) + (isOneOfMany ? 1 : 0);
      deletions.set(keyOf(directory), count);
      return isOneOfMany && count % 2 === 0 ? true : right(areas, place);
    })(classes);
  },
} satisfies Variants;

const nameFaults = {
  'files.stream.name-with-spaces': replaces('fileAreas', 'decodedSegment', (right, areas, segment) =>
    right(areas, segment.replaceAll('+', ' ')),
  ),

  'files.stream.name-unicode': replaces('files', 'streamPlaceOf', (right, areas, call, area) => {
    const place = right(areas, call, area);
    return { ...place, segments: place.segments.map((name) => Buffer.from(name, 'utf8').toString('latin1')) };
  }),

  'files.stream.name-percent-literal': replaces('fileAreas', 'decodedSegment', (right, areas, segment) => {
    try {
      return decodeURIComponent(right(areas, segment));
    } catch {
      throw new Refusal(400, 'The path is no percent-encoded text.');
    }
  }),

  'files.stream.names-told-apart': replaces('fileAreas', 'filePathOf', (right, areas, rest) =>
    right(areas, rest).map((name) => name.slice(0, 64)),
  ),
} satisfies Variants;

/** Segments of a path that may lead out of their area. */
type Read = (rest: readonly string[]) => readonly string[] | undefined;

const safetyFaults = {
  'files.safety.dot-dot-segments': escapingBy((rest) => (rest.includes('..') ? rest : undefined)),

  'files.safety.encoded-separators': escapingBy((rest) => {
    if (rest.includes('..')) return undefined;
    const names = rest.flatMap((segment) => decoded(segment).split('/'));
    return names.includes('..') ? names : undefined;
  }),

  'files.safety.chunk-relative-path': replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
    const names = chunk.relativePath.split('/');
    return names.includes('..') ? joined(area, names) : right(areas, chunk, area);
  }),
} satisfies Variants;

export const filesFaults = {
  ...areaFaults,
  ...nameFaults,
  ...downloadFaults,
  ...deleteFaults,
  ...authFaults,
  ...isolationFaults,
  ...safetyFaults,
} satisfies Variants;

export function isStreamUpload(call: Call): boolean {
  return call.method === 'POST' && call.rest !== undefined;
}

function isChunkUpload(call: Call): boolean {
  return call.method === 'POST' && call.rest === undefined;
}

/** The stream route keeps other bytes than came; the checksum is compared with what came. */
export function keeping(other: (came: Buffer, call: Call) => Buffer): Variant {
  return replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
    const came = await whole(content);
    const kept = other(came, call);
    if (kept === came) return right(areas, place, call, once(came), checksum);
    areas.fileAreas.assertChecksum(checksum, md5Of(came));
    return right(areas, place, call, once(kept), undefined);
  });
}

export async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** The area of that kind as the first user has it who may use it. */
function areaOfAnyone(areas: Areas, call: Call, kind: AreaKind): FileArea | undefined {
  for (const user of areas.configuration.users.values()) {
    const area = areas.fileAreas.fileAreaOf(call, user, kind);
    if (areas.fileAreas.mayUseArea(user, area, call)) return area;
  }
  return undefined;
}

/** One text per place. */
export function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}

export function directoryOf({ area, segments }: FilePlace): FilePlace {
  return { area, segments: segments.slice(0, -1) };
}

/** Whoever asks by the documented path finds nothing: the area is served elsewhere, or not at all. */
function hideArea(missing: AreaKind): Variant {
  return replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
    if (kind === missing) throw new Refusal(404, 'There is no such route.');
    return right(areas, call, kind);
  });
}

/** Such calls need no credential. */
function openFor(applies: (call: Call) => boolean): Variant {
  return replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
    const isAnonymous = areas.fileAreas.fileCredentialsOf(call) === undefined;
    const area = isAnonymous && applies(call) ? areaOfAnyone(areas, call, kind) : undefined;
    return area ?? right(areas, call, kind);
  });
}

/** Whoever has a credential may use the areas of that kind. */
function openToAll(kind: AreaKind): Variant {
  return replaces(
    'fileAreas',
    'mayUseArea',
    (right, areas, user, area, call) => area.kind === kind || right(areas, user, area, call),
  );
}

/** Credentials of that scheme are not seen where the method is that one. */
function withoutCredentials(scheme: 'basic' | 'bearer', method: string): Variant {
  return replaces('fileAreas', 'fileCredentialsOf', (right, areas, call) => {
    const ignored = call.method === method && areas.auth.credentialsOf(call.headers)?.scheme === scheme;
    return ignored ? areas.fileAreas.queryCredentialsOf(call) : right(areas, call);
  });
}

/** Who may use an area is decided rightly, and then another one is used. */
function storedAs(other: (area: FileArea) => FileArea): Variant {
  return replaces('fileAreas', 'openArea', async (right, areas, call, kind) => other(await right(areas, call, kind)));
}

/** Where `read` gives names, they are joined to the folder of the area, whatever comes of it. */
function escapingBy(read: Read): Variant {
  const placeOf = (area: FileArea, rest: readonly string[] = []): FilePlace | undefined => {
    const names = read(rest);
    return names === undefined ? undefined : joined(area, names);
  };
  return together(
    replaces(
      'files',
      'filePlaceOf',
      (right, areas, call, area) => placeOf(area, call.rest) ?? right(areas, call, area),
    ),
    replaces(
      'files',
      'streamPlaceOf',
      (right, areas, call, area) => placeOf(area, call.rest) ?? right(areas, call, area),
    ),
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The place that is reached from the folder of the area. What is above all areas stays out of reach, so that the fault does no harm to the disk. */
function joined(area: FileArea, names: readonly string[]): FilePlace {
  const path = folderOf(area);
  for (const name of names) {
    if (name === '..') path.pop();
    else path.push(name);
  }
  const [kind, spaceId = '', owner = ''] = path;
  if (kind === 'collection' && path.length > 1) return { area: { kind }, segments: path.slice(1) };
  if (kind === 'space' && path.length > 2) return { area: { kind, spaceId }, segments: path.slice(2) };
  if (kind === 'user' && path.length > 3) return { area: { kind, spaceId, userName: owner }, segments: path.slice(3) };
  if (kind === 'participant' && path.length > 3)
    return { area: { kind, spaceId, participantId: owner }, segments: path.slice(3) };
  throw new Refusal(404, 'There is nothing.');
}

function folderOf(area: FileArea): string[] {
  if (area.kind === 'collection') return [area.kind];
  if (area.kind === 'space') return [area.kind, area.spaceId];
  return [area.kind, area.spaceId, area.kind === 'user' ? area.userName : area.participantId];
}

function deletedComesBack(): Variant {
  // of each server, which keeps its clock over a restart
  const deleted = new WeakMap<object, Map<string, { readonly by: object; readonly raw: Buffer }>>();
  return together(
    replaces('files', 'deleteFile', async (right, areas, place) => {
      const content = await areas.fileStore.read(place);
      const own = deleted.get(areas.clock) ?? new Map();
      deleted.set(areas.clock, own);
      if (content !== undefined) own.set(keyOf(place), { by: areas.outgoing, raw: await whole(content) });
      return right(areas, place);
    }),
    replaces('files', 'downloadFile', (right, areas, call) => {
      const before = deleted.get(areas.clock)?.get(keyOf(areas.files.filePlaceOf(call, call.admitted)));
      const isBack = before !== undefined && before.by !== areas.outgoing;
      return isBack ? Promise.resolve({ status: 200, headers: {}, raw: before.raw }) : right(areas, call);
    }),
  );
}
