import type { ServerResponse } from 'node:http';
import { smallProfile, type Arrived, type Handle } from '../small-service.fixture.ts';
import type { LoadedProfile } from '../profile/load.ts';

/** Profile lines of a service with every area. */
const declared = `
participant: owner
files:
  areas: { collection: { as: editor }, space: { as: editor }, user: { as: editor }, participant: { as: editor } }
  secondParticipant: { id: supplier, as: secondEditor }
secondSpace: { space: depot, softType: { definitionId: D, inputSchemaId: i, outputSchemaId: o, body: {} } }
`;

export function fileProfile(url: string, more = ''): LoadedProfile {
  return smallProfile(url, declared + more, '{ token: editor-token-0815, username: edda, pat: the-pat-of-edda }');
}

/** Keeps files of any area by their raw path well enough for stream upload, GET and DELETE. */
export function fileStore(): Handle {
  const files = new Map<string, Buffer>();
  return (request, response) => {
    if (request.method === 'POST') return kept(files, request, response);
    const path = request.url.split('?')[0] ?? '';
    const found = files.get(path);
    if (found === undefined) return void response.writeHead(404).end();
    if (request.method === 'DELETE') files.delete(path);
    response.writeHead(200).end(found);
  };
}

function kept(files: Map<string, Buffer>, { url, body }: Arrived, response: ServerResponse): void {
  const path = url.replace('/stream/', '/');
  if (files.has(path)) return void response.writeHead(409).end();
  files.set(path, body);
  response.writeHead(201, { Location: path }).end();
}
