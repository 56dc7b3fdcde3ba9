import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import { NoRoom, PlaceTaken, type FilePlace } from './file-store.ts';

/** What a write that failed is answered with: a refusal where the reason is one for the client. */
export function refusalOf({ behaviours }: Service, place: FilePlace, error: unknown): unknown {
  if (error instanceof PlaceTaken) return behaviours.placeTaken(place);
  return error instanceof NoRoom ? noRoom(place, error) : error;
}

/** Source: RFC 4918 section 11.5 */
function noRoom({ segments }: FilePlace, cause: Error): Refusal {
  const detail = `The disk of the server has no room for ${segments.join('/')}, of which nothing of this request was kept; delete files, then send it again.`;
  return Object.assign(new Refusal(507, detail), { cause });
}
