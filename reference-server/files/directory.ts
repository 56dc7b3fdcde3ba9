import { isoTime } from '../clock/iso-time.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Call, Service } from '../service.ts';
import type { AreaKind } from './areas.ts';
import type { FileArea, FilePlace, PlaceInfo } from './file-store.ts';

/** GET: what is in a directory. Source: ledger dir-listing. @throws {Refusal} 400, 401, 403, 404 */
export async function listDirectory(service: Service, call: Call, kind: AreaKind): Promise<Answer> {
  const { behaviours } = service;
  const area = await behaviours.openArea(service, call, kind);
  const place = behaviours.directoryPlaceOf(service, call, area);
  const entries = await behaviours.directoryEntries(service, place);
  if (entries === undefined) throw new Refusal(404, `There is no directory ${place.segments.join('/')}.`);
  const [href] = call.url.split('?', 1);
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: { href, data: entries.map(shown) } };
}

/** Without names, or with a slash alone, the area itself. @throws {Refusal} 400 */
export function directoryPlaceOf(service: Service, call: Call, area: FileArea): FilePlace {
  const { rest = [] } = call;
  const names = rest.at(-1) === '' ? rest.slice(0, -1) : rest;
  return { area, segments: names.length === 0 ? [] : service.behaviours.filePathOf(service, names) };
}

/** An area is there before its first file is. */
export async function directoryEntries(
  service: Service,
  place: FilePlace,
): Promise<readonly (PlaceInfo & { readonly name: string })[] | undefined> {
  const entries = await service.files.list(place);
  return entries ?? (place.segments.length === 0 ? [] : undefined);
}

function shown(entry: PlaceInfo & { readonly name: string }): object {
  const { kind, name, modifiedAt } = entry;
  return { name, type: kind, ...(entry.kind === 'file' && { size: entry.size }), modified: isoTime(modifiedAt) };
}
