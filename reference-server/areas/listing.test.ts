import { expect, test } from 'vitest';
import { openSqliteStore } from '../ports/sqlite.ts';

test('objects are found by a text in their content, by definition and space, up to the limit', async () => {
  const store = openSqliteStore();
  const held = ['plain', 'with "quotes" and \\', 'unlike'];
  await store.change(async (writing) => {
    for (const [index, text] of held.entries())
      await writing.insertObject({
        spaceId: 'main',
        oid: `o${index}`,
        softType: 'Document',
        version: 1,
        content: { text },
      });
    await writing.insertObject({ spaceId: 'main', oid: 'p', softType: 'Part', version: 1, content: { text: 'plain' } });
    await writing.insertObject({
      spaceId: 'depot',
      oid: 'd',
      softType: 'Document',
      version: 1,
      content: { text: 'plain' },
    });
  });
  const found = (text: string, limit = 10) =>
    store.read(async (reading) =>
      (await reading.objectsHolding('main', 'Document', text, limit)).map(({ oid }) => oid),
    );
  expect(await found('plain')).toEqual(['o0']);
  expect(await found('"quotes" and \\')).toEqual(['o1']);
  expect(await found('nowhere')).toEqual([]);
  expect(await found('', 2)).toHaveLength(2);
  await store.close();
});
