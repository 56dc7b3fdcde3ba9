import { catalogue } from '../../suites/catalogue.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { hasFault } from '../../variants/faults.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';
import { readPublished } from '../kill-matrix/collateral.ts';
import { matrixPage } from '../kill-matrix/print.ts';
import { publishedFolder, publishedTexts } from './texts.ts';

const advice = 'the published results are not current: npm run publish:reports';
const published = (name: string): Promise<string> => readFile(join(publishedFolder, name), 'utf8');

test('result and fingerprint of the reference server are those of today', async () => {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const texts = await publishedTexts().finally(() => printed.mockRestore());
  for (const [name, text] of Object.entries(texts))
    expect((await published(name)).split('\n'), advice).toEqual(text.split('\n'));
});

test('the kill matrix names every fault of a rule and no other, and its page is that of the data', async () => {
  const matrix = readPublished(publishedFolder);
  const faults = catalogue.ids.filter((id) => hasFault(id) || hasHostFault(id));
  expect(Object.keys(matrix?.faults ?? {}), advice).toEqual(faults.toSorted());
  expect(await published('kill-matrix.md'), advice).toBe(matrix && matrixPage(matrix));
});
