import autocannon from 'autocannon';
import { path } from '../harness/client.ts';
import type { Figure } from '../harness/load.ts';
import { authorization, connections, ground, hotObjects, informationFilter, objectIds } from './ground.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';

const { definitionId, inputSchemaId, outputSchemaId } = ground.softType;

const base = { authorization, [headerNames.informationFilter]: informationFilter };

/** What an answer to a read is looked at for. */
interface Read {
  readonly version: number;
  readonly links: readonly { readonly rel: string; readonly pages: number }[];
}

/** autocannon with requests of its own, with the CPU of this process. */
export async function handWritten(url: string, seconds: number): Promise<Figure> {
  let user = 0;
  const before = process.cpuUsage();
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 100,
    setupClient: (client) => client.setRequests(byHand(user++)),
  });
  const { user: own, system } = process.cpuUsage(before);
  const answers = result['2xx'] + result.non2xx;
  return {
    perSecond: answers / result.duration,
    cpuUs: (own + system) / answers,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}

/** The requests of a reader and an editor, as somebody would write them down for autocannon: a new text in each edit, the version from the read before. */
function byHand(user: number): autocannon.Request[] {
  let [turn, objectId, pages, version] = [0, '', 0, 0];
  const read = (choose: () => string): autocannon.Request => ({
    setupRequest: (request) => {
      objectId = choose();
      return {
        ...request,
        method: 'GET',
        path: path(routes.instanceShort, { spaceId: 'main', objectId }),
        headers: base,
      };
    },
    onResponse: (_status, body) => {
      const found = JSON.parse(body) as Read;
      pages = found.links.find(({ rel }) => rel === 'page')?.pages ?? 0;
      ({ version } = found);
    },
  });
  const page = (pageNumber: number): autocannon.Request => ({
    setupRequest: (request) => ({
      ...request,
      method: 'GET',
      path: path(routes.page, {
        spaceId: 'main',
        softTypeId: definitionId,
        outputSchemaId,
        arrayPortId: 'files',
        objectId,
        pageNumber: Math.min(pageNumber, pages - 1),
      }),
      headers: base,
    }),
  });
  const edit: autocannon.Request = {
    setupRequest: (request) => ({
      ...request,
      method: 'PATCH',
      path: path(routes.merge, { spaceId: 'main', definitionId, inputSchemaId, objectId }),
      headers: { ...base, 'Content-Type': mediaTypes.json, [headerNames.version]: String(version) },
      body: JSON.stringify({ note: `${user}.${(turn += 1)}` }),
    }),
  };
  const oneOf = (count: number) => () => objectIds[Math.floor(Math.random() * count)] ?? '';
  return [read(oneOf(objectIds.length)), page(0), page(1), page(2), read(oneOf(hotObjects)), edit];
}
