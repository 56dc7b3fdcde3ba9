import type { Reply } from '../exchange.ts';
import { checksumOf } from '../host/signature.ts';
import type { BoundProfile } from '../profile.ts';
import type { Target } from '../target.ts';
import { areasOf } from './areas.ts';
import { chunkCount } from './chunk.ts';
import { basic, withQueryToken } from './credentials.ts';
import type { FileBookings } from './file-bookings.ts';
import { fileRequests } from './file-requests.ts';
import type { Chunk, FileArea, Files } from './files.ts';

export interface FilesParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly bookings: FileBookings;
}

/** The file routes; what is uploaded is booked. Source: extensions, File areas, File routes */
export function openFiles({ service, profile, bookings }: FilesParts): Files {
  const areas = areasOf(profile.all);
  const { directoryRequest, ...requests } = fileRequests(profile);
  const files: Files = {
    areas: areas.areas,
    get any() {
      return areas.any;
    },
    area: (name) => areas.area(name),
    userArea: (as) => areas.userArea(as),
    get secondParticipant() {
      return areas.secondParticipant;
    },
    get secondSpace() {
      return areas.secondSpace;
    },
    ...requests,
    upload: async (area, path, bytes, changes) => {
      const reply = await service.send(requests.uploadRequest(area, path, bytes, changes));
      if (!isRefused(reply)) bookings.book(area, path, changes);
      return reply;
    },
    chunk: async (area, chunk, changes) => {
      const reply = await service.send(requests.chunkRequest(area, chunk, changes));
      if (!isRefused(reply)) bookings.book(area, targetOf(chunk));
      return reply;
    },
    chunks: (area, upload) => chunksInTurn(files, area, upload),
    download: async (area, path, { token, ...changes } = {}) => {
      const request = requests.downloadRequest(area, path, changes);
      return service.send(token === undefined ? request : await withQueryToken(service, request, token));
    },
    remove: async (area, path, changes) => {
      const reply = await service.send(requests.removeRequest(area, path, changes));
      if (reply.status < 300) bookings.drop(area, path, changes);
      return reply;
    },
    directory: (area, path = '', changes) => service.send(directoryRequest(area, path, changes)),
    checksumOf,
    basic: (as, secret) => basic(profile, as, secret),
  };
  return files;
}

async function chunksInTurn(files: Files, area: FileArea, upload: Omit<Chunk, 'number'>): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (let number = 1; number <= chunkCount(upload); number += 1) {
    const reply = await files.chunk(area, { ...upload, number });
    replies.push(reply);
    if (reply.status >= 300) break;
  }
  return replies;
}

/** A refusal that leaves nothing behind; after a 5xx something may be there. */
function isRefused({ status }: Reply): boolean {
  return status >= 300 && status < 500;
}

/** Where the parts say that the file goes. */
function targetOf({ path, parts }: Chunk): string {
  return (parts?.['resumableRelativePath'] ?? path).replace(/^\/+/, '');
}
