import { catalogue } from '../../suites/catalogue.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { hasFault } from '../../variants/faults.ts';
import { code } from '../../reports/document.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';
import { publishedFolder, publishedTexts } from './texts.ts';

const advice = 'the published results are not current: npm run publish:reports';
const published = (name: string): Promise<string> => readFile(join(publishedFolder, name), 'utf8');

test('result and fingerprint of the reference server are those of today', { timeout: 300_000 }, async () => {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const texts = await publishedTexts().finally(() => printed.mockRestore());
  for (const [name, text] of Object.entries(texts))
    expect((await published(name)).split('\n'), advice).toEqual(text.split('\n'));
});

test('the kill matrix names every fault of a rule and no other', async () => {
  const faults = catalogue.all.filter(({ id }) => hasFault(id) || hasHostFault(id)).map(({ id }) => code(id));
  const rows = (await published('kill-matrix.md')).split('\n').filter((line) => line.startsWith('| <code>'));
  const named = new Set(rows.map((row) => row.split(' | ')[0]?.slice('| '.length) ?? ''));
  expect([...named].toSorted(), advice).toEqual(faults.toSorted());
});
