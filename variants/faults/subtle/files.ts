import type { Chunk } from '../../../reference-server/areas/chunks.ts';
import type { Space } from '../../../reference-server/configuration.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { type Variants, together, within, replaces } from '../../breaks.ts';
import { directoryOf, keyOf } from '../files.ts';

export const subtleFileFaults = {
  /** A listing has a tag that is made of its address alone. */
  'subtle.listing.tag-of-its-address': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (call.method !== 'GET' || !call.url.includes('/fs/dir') || answer.status !== 200) return answer;
    const headers = { ETag: `"${Buffer.from(call.url).toString('base64url')}"` };
    if (call.headers['if-none-match'] === headers.ETag) return { status: 304, headers };
    return { ...answer, headers: { ...answer.headers, ...headers } };
  }),

  /** A folder of the source that is called 0 counts as none. */
  'subtle.bulk.zero-is-no-name': replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
    right(
      areas,
      area,
      target,
      path.filter((name) => name !== '0'),
    ),
  ),

  /** What is blank around a name in the source is cut off. */
  'subtle.bulk.names-are-trimmed': replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
    right(
      areas,
      area,
      target,
      path.map((name) => name.trim()),
    ),
  ),

  /** As many letters as the source has, and one for a slash, are cut off the paths of its files. */
  'subtle.bulk.slash-behind-source-takes-a-letter': replaces('bulkUpload', 'runBulkUpload', (right, areas, run) => {
    const isBehind = run.request.sourceDirectory.endsWith('/');
    const bulkPlaceOf: typeof areas.bulkUpload.bulkPlaceOf = (area, target, [first = '', ...others]) =>
      areas.bulkUpload.bulkPlaceOf(area, target, [first.slice(1), ...others]);
    return right(isBehind ? within(areas, { bulkUpload: { bulkPlaceOf } }) : areas, run);
  }),

  /** A path at which a stream upload was refused stays taken for chunks. */
  'subtle.chunk.path-of-refused-stream-is-taken': (classes) => {
    const refused = new Set<string>();
    return together(
      replaces('files', 'uploadStream', async (right, areas, call) => {
        try {
          return await right(areas, call);
        } catch (error) {
          refused.add(keyOf(areas.files.streamPlaceOf(call, call.admitted)));
          throw error;
        }
      }),
      replaces('chunks', 'storeChunk', (right, areas, place, chunk) => {
        if (refused.has(keyOf(place))) throw areas.fileAreas.placeTaken(place);
        return right(areas, place, chunk);
      }),
    )(classes);
  },

  /** The path in a chunk form is decoded as if it stood in an address. */
  'subtle.chunk.path-is-decoded': replaces('fileAreas', 'relativePathOf', (right, areas, path) => {
    const isEncoded = /%[\da-f]{2}/i.test(path);
    return right(areas, isEncoded ? decodeURIComponent(path) : path);
  }),

  /** What is blank around a name is cut off. */
  'subtle.stream.name-is-trimmed': replaces('fileAreas', 'decodedSegment', (right, areas, segment) =>
    right(areas, segment).trim(),
  ),

  /** What is kept beside a file reads as a file of its own. */
  'subtle.download.shows-what-is-kept-beside': replaces('files', 'filePlaceOf', (right, areas, call, area) => {
    const place = right(areas, call, area);
    const isBeside = call.method === 'GET' && (place.segments.at(-1) ?? '').endsWith('.meta');
    return isBeside ? { ...place, segments: place.segments.map((name) => name.replace(/\.meta$/, '')) } : place;
  }),

  /** The expiry of a token that comes in the query of a download is not looked at. */
  'subtle.download.query-token-never-expires': replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
    const isInHeader = areas.auth.credentialsOf(call.headers) !== undefined;
    const token = isInHeader || call.method !== 'GET' ? null : call.query.get('token');
    const { access } = areas.tokens.signingKeysOf();
    const claims =
      token === null ? undefined : await areas.tokens.verifySignature(token, access).catch(() => undefined);
    const user = claims === undefined ? undefined : areas.configuration.users.get(claims.sub);
    return user ?? right(areas, call);
  }),

  /** Of an upload that is begun anew after a deletion the second chunk is the one that came first. */
  'subtle.chunk.second-one-survives-deletion': (classes) => {
    const kept = new Map<string, Chunk>();
    return replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
      const key = `${keyOf(place)} ${chunk.totalSize}`;
      if (chunk.number !== 2) return right(areas, place, chunk);
      const first = kept.get(key) ?? chunk;
      kept.set(key, first);
      return right(areas, place, first.size === chunk.size ? { ...chunk, pieces: first.pieces } : chunk);
    })(classes);
  },

  /** A file that is deleted in the area of a user goes in the area of the space as well. */
  'subtle.delete.user-file-takes-that-of-space': replaces('files', 'deleteFile', async (right, areas, place) => {
    const removed = await right(areas, place);
    if (!removed || place.area.kind !== 'user') return removed;
    const twin: FilePlace = { ...place, area: { kind: 'space', spaceId: place.area.spaceId } };
    if ((await areas.fileStore.describe(twin))?.kind === 'file') await right(areas, twin);
    return removed;
  }),

  /** Names that differ in the case of letters alone are one to a deletion, and two to everything else. */
  'subtle.delete.any-case': replaces('files', 'deleteFile', async (right, areas, place) => {
    const removed = await right(areas, place);
    const directory = directoryOf(place);
    const name = place.segments.at(-1)?.toLowerCase();
    const alike = ((await areas.fileStore.list(directory)) ?? []).filter(
      (sibling) => sibling.kind === 'file' && sibling.name.toLowerCase() === name,
    );
    for (const sibling of removed ? alike : [])
      await right(areas, { ...directory, segments: [...directory.segments, sibling.name] });
    return removed;
  }),

  /** The area of a participant takes chunks of whoever has a role in the space. */
  'subtle.chunk.participant-of-whole-space': replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
    const isOpen = area.kind === 'participant' && isChunk(call);
    return right(areas, user, isOpen ? areas.fileAreas.spaceArea(call) : area, call);
  }),

  /** The area of a participant takes chunks of those who are in a participant of that name, in whichever space. */
  'subtle.chunk.participant-by-name': replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
    const isNamesake = ({ participants }: Space): boolean =>
      area.kind === 'participant' && (participants.get(area.participantId)?.has(user.name) ?? false);
    return right(areas, user, area, call) || (isChunk(call) && areas.configuration.spaces.values().some(isNamesake));
  }),

  /** The second deletion at a path takes the file of that name in another directory, too. */
  'subtle.delete.second-one-takes-namesake': (classes) => {
    const deleted = new Set<string>();
    const stored = new Map<string, FilePlace[]>();
    return together(
      replaces('files', 'storeStream', async (right, areas, place, ...upload) => {
        await right(areas, place, ...upload);
        stored.set(nameOf(place), [...(stored.get(nameOf(place)) ?? []), place]);
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const isAgain = deleted.has(keyOf(place));
        const removed = await right(areas, place);
        if (removed) deleted.add(keyOf(place));
        const namesake = stored.get(nameOf(place))?.find((other) => keyOf(other) !== keyOf(place));
        if (removed && isAgain && namesake !== undefined) await right(areas, namesake);
        return removed;
      }),
    )(classes);
  },
} satisfies Variants;

function isChunk({ method, url }: Call): boolean {
  return method === 'POST' && !url.includes('/stream/');
}

/** The same for the files of one name, wherever they are in an area and below one root. */
function nameOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments[0], segments.at(-1)]);
}
