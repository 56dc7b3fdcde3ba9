import { Refusal } from '../problem.ts';
import type { Answer, Call, Service } from '../service.ts';
import type { AreaKind } from './areas.ts';
import { PlaceTaken, type FilePlace, type OpenFile } from './file-store.ts';

/** DELETE. Source: extensions, File routes, row 4. @throws {Refusal} 400, 401, 403, 404, 409 */
export async function removeFile(service: Service, call: Call, kind: AreaKind): Promise<Answer> {
  const { behaviours } = service;
  const area = await behaviours.openArea(service, call, kind);
  const place = behaviours.filePlaceOf(service, call, area);
  if (!(await behaviours.deleteFile(service, place))) throw behaviours.missingFile(place);
  return { status: 204 };
}

/** Whether there was a file; all that is known of it goes too, chunks of an upload under way included. @throws {Refusal} 409 for a directory */
export async function deleteFile(service: Service, place: FilePlace): Promise<boolean> {
  const { behaviours, files } = service;
  return behaviours.inTurn(service, place, async () => {
    const info = await files.describe(place);
    if (info?.kind === 'directory') throw directoryThere(place);
    const file = await files.open(place);
    try {
      return await removedWith(service, place, file);
    } finally {
      await file?.close();
    }
  });
}

/** The file is open meanwhile, so that no other one gets its id before all that is known of it is forgotten. */
async function removedWith(service: Service, place: FilePlace, file: OpenFile | undefined): Promise<boolean> {
  const { behaviours } = service;
  const removed = await removedFrom(service, place);
  if (file === undefined) return removed;
  await behaviours.forgetUpload(service, place, file.info);
  await behaviours.forgetFileRecord(service, place, file.info.stamp);
  return removed;
}

async function removedFrom(service: Service, place: FilePlace): Promise<boolean> {
  try {
    return await service.files.remove(place);
  } catch (error) {
    throw error instanceof PlaceTaken ? directoryThere(place) : error;
  }
}

/** Source: ledger directory-semantics */
function directoryThere({ segments }: FilePlace): Refusal {
  return new Refusal(409, `${segments.join('/')} is a directory; files are deleted one by one, and directories stay.`);
}
