import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { hasFault } from '../../variants/faults.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';
import { readPublished } from '../kill-matrix/collateral.ts';
import { matrixPage } from '../kill-matrix/print.ts';
import { captureOutput } from '../output.fixture.ts';
import { rejudge } from '../rejudge.ts';
import { publishedFolder, type PublishedTexts, publishedTexts } from './texts.ts';

const advice = 'the published results are not current: npm run publish:reports';
const published = (name: string): Promise<string> => readFile(join(publishedFolder, name), 'utf8');

const folder = makeFolder();
let cassette = '';
let texts: PublishedTexts;
/** The bundled pair judged by every rule, once for what is published and for what is recorded. */
beforeAll(async () => {
  cassette = join(folder, 'run.cassette');
  await captureOutput(async () => {
    texts = await publishedTexts(cassette);
    return 0;
  });
});

test('result and fingerprint of the reference server are those of today', async () => {
  for (const [name, text] of Object.entries(texts))
    expect((await published(name)).split('\n'), advice).toEqual(text.split('\n'));
});

test('its cassette is judged again as it was, schedules included, from at most 10 MB', async () => {
  const bytes = await readFile(cassette);
  const { outcomes, differences } = await rejudge(bytes, 'run.cassette');
  expect(differences).toEqual([]);
  expect(outcomes.length).toBe(catalogue.ids.length);
  expect(bytes.byteLength).toBeLessThan(10e6);
});

test('an area of it is judged again as it was, though its cases got their keys of the host by others', async () => {
  const { outcomes, differences } = await rejudge(await readFile(cassette), 'run.cassette', { areas: ['api-keys'] });
  expect(differences).toEqual([]);
  expect(outcomes.map(({ rule }) => rule).filter((rule) => !rule.startsWith('api-keys.'))).toEqual([]);
});

test('the kill matrix names every fault of a rule and no other, and its page is that of the data', async () => {
  const matrix = readPublished(publishedFolder);
  const faults = catalogue.ids.filter((id) => hasFault(id) || hasHostFault(id));
  expect(Object.keys(matrix?.faults ?? {}), advice).toEqual(faults.toSorted());
  expect(await published('kill-matrix.md'), advice).toBe(matrix && matrixPage(matrix));
});
