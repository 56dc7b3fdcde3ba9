import { entriesPerPage } from '../contract/limits.ts';
import { routes } from '../contract/routes.ts';
import { Client, document, path } from './harness/client.ts';
import { compare } from './harness/compare.ts';
import { loaded, type Figure } from './harness/load.ts';
import { startSide } from './harness/side.ts';

/** The last page of an array of 100,000 entries against its first one. */
const entries = 100_000;
await using reference = await startSide('reference');
const client = await Client.of(reference.url);
const objectId = await client.createDocument(entries);

const round =
  (pageNumber: number) =>
  (seconds: number): Promise<Figure> => {
    const place = {
      ...document,
      softTypeId: 'Document',
      outputSchemaId: 'documentFull',
      arrayPortId: 'files',
      objectId,
    };
    const target = path(routes.page, { ...place, pageNumber });
    const requests = () => [{ method: 'GET' as const, path: target, headers: client.headers }];
    return loaded(reference, { connections: 10, seconds, requests });
  };
const lastPage = entries / entriesPerPage - 1;
await compare({
  title: `page ${lastPage.toLocaleString('en')} of ${entries.toLocaleString('en')} entries against page 0, 10 connections`,
  baseline: { name: 'page 0', round: round(0) },
  subject: { name: `page ${lastPage.toLocaleString('en')}`, round: round(lastPage) },
  goal: '<= 1.2',
  ratio: 'time',
});
