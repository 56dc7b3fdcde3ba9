import { describe, expect, test } from 'vitest';
import type { Instance } from '../../contract/wire.ts';
import { create, pageLinks, read, sampleService } from './reading-sample.fixture.ts';
import type { Areas } from '../areas.ts';

const eleven = { title: 't', files: Array.from({ length: 11 }, (_, index) => ({ name: String(index) })) };

function offered({ links }: Instance): string[] {
  return links.filter(({ rel }) => rel !== 'page').map(({ rel, method }) => `${rel} ${method}`);
}

async function inState(service: Areas, state: string): Promise<string[]> {
  const oid = await create(service, { title: 't' });
  const current = { $oid: 'x', $softType: 'engineeringState', id: 'engineering', state };
  await service.store.change((writing) =>
    writing.updateObject('main', oid, 2, { title: 't', $states: { engineering: current } }),
  );
  return offered((await read(service, oid)).json).filter((link) => /mote/.test(link));
}

describe('links', () => {
  test('an editor is offered every operation, a reader only what reads, in either order', async () => {
    const service = sampleService();
    const oid = await create(service, eleven);
    const editor = await read(service, oid);
    const reader = await read(service, oid, { user: 'rita' });
    expect(offered(editor.json)).toEqual(['self GET', 'edit PATCH', 'replace PUT', 'delete DELETE', 'promote PUT']);
    expect(offered(reader.json)).toEqual(['self GET']);
    expect(offered((await read(service, oid)).json)).toEqual(offered(editor.json));
    expect(pageLinks(reader.json.links)).toEqual(pageLinks(editor.json.links));
  });

  test('promote and demote are offered while there is a further state', async () => {
    const service = sampleService();
    expect(await inState(service, 'draft')).toEqual(['promote PUT']);
    expect(await inState(service, 'reviewed')).toEqual(['promote PUT', 'demote PUT']);
    expect(await inState(service, 'released')).toEqual(['demote PUT']);
  });

  test('an array inside an entry is one percent-encoded segment of the href', async () => {
    const service = sampleService();
    const oid = await create(service, {
      title: 't',
      files: [{ name: 'a', revisions: Array.from({ length: 21 }, () => ({ text: 'x' })) }],
    });
    const link = pageLinks((await read(service, oid)).json.links).get('files/1/revisions');
    expect(link).toMatchObject({ pages: 3, totalNumber: 21, href: expect.stringContaining('/files%2F1%2Frevisions/') });
  });
});
