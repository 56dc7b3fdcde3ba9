import { Refusal } from '../../problem.ts';
import type { FileArea, FilePlace } from '../../files/file-store.ts';
import { replacing, together, type Fault, type FaultsOf } from '../fault.ts';

/** Segments of a path that may lead out of their area. */
type Read = (rest: readonly string[]) => readonly string[] | undefined;

export const safetyFaults = {
  'files.safety.dot-dot-segments': escapingBy((rest) => (rest.includes('..') ? rest : undefined)),

  'files.safety.encoded-separators': escapingBy((rest) => {
    if (rest.includes('..')) return undefined;
    const names = rest.flatMap((segment) => decoded(segment).split('/'));
    return names.includes('..') ? names : undefined;
  }),

  'files.safety.chunk-relative-path': replacing('chunkPlaceOf', (right) => (service, chunk, area) => {
    const names = chunk.relativePath.split('/');
    return names.includes('..') ? joined(area, names) : right(service, chunk, area);
  }),
} satisfies Partial<FaultsOf<'files'>>;

/** Where `read` gives names, they are joined to the folder of the area, whatever comes of it. */
function escapingBy(read: Read): Fault {
  const placeOf = (area: FileArea, rest: readonly string[] = []): FilePlace | undefined => {
    const names = read(rest);
    return names === undefined ? undefined : joined(area, names);
  };
  return together(
    replacing(
      'filePlaceOf',
      (right) => (service, call, area) => placeOf(area, call.rest) ?? right(service, call, area),
    ),
    replacing(
      'streamPlaceOf',
      (right) => (service, call, area) => placeOf(area, call.rest) ?? right(service, call, area),
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
