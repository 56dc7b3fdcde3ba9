import type { Request } from 'autocannon';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import { document, path, type Client } from './client.ts';

/** An object that one connection edits by merge PATCH. */
export interface EditedObject {
  /** Reads the version: a round that ends cuts off a request whose answer would have told it. */
  catchUp(): Promise<void>;
  /** One edit after the other, each for the version that the answer before it named. */
  edits(method: 'PATCH' | 'POST'): Request;
  read(): Request;
}

/** An object with 10 entries. */
export async function editedObject(client: Client): Promise<EditedObject> {
  const objectId = await client.createDocument(10);
  let version = 1;
  return {
    async catchUp() {
      // change sets are taken in their order, so those that were cut off are through when this one is
      await client.createDocument(0);
      const answer = await client.send('GET', path(routes.instanceShort, { ...document, objectId }));
      ({ version } = (await answer.json()) as { readonly version: number });
    },
    read: () => ({
      method: 'GET',
      path: path(routes.instanceShort, { ...document, objectId }),
      headers: client.headers,
    }),
    edits: (method) => ({
      method,
      path: path(routes.merge, { ...document, objectId }),
      setupRequest: (request) => ({
        ...request,
        headers: { ...client.headers, 'content-type': mediaTypes.json, [headerNames.version]: String(version) },
        body: JSON.stringify({
          note: `edited ${version} times`,
          remark: 'measured',
          dimensions: { width: '10', height: '20' },
        }),
      }),
      onResponse(_status, _body, _context, headers) {
        version = Number(versionIn(headers) ?? version);
      },
    }),
  };
}

/** Header names come as the server spells them. */
function versionIn(headers: object | undefined): unknown {
  const name = headerNames.version.toLowerCase();
  return Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
}
