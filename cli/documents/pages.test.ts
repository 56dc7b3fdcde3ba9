import { catalogue } from '../../suites/catalogue.ts';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { needs } from '../../contract/needs.ts';
import { pages } from './pages.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('documents made from schema, rows and commands', () => {
  test.each(pages)('$path is current; npm run docs writes it', ({ path, text }) => {
    expect(read(path) === text(), `${path} is as npm run docs writes it`).toBe(true);
  });

  test('the schema takes the bundled profile and refuses a misspelt key', () => {
    const isProfile = new Ajv({ strict: false }).compile(JSON.parse(read('docs/profile.schema.json')) as object);
    const profile = parse(
      read('fixtures/profile.yaml')
        .replaceAll('${BASE_URL}', 'http://localhost:1')
        .replaceAll(/\$\{\w+\}/g, '/tmp'),
    ) as object;
    expect(isProfile(profile), JSON.stringify(isProfile.errors)).toBe(true);
    expect(isProfile({ ...profile, particpant: 'x' })).toBe(false);
  });

  test('every rule and need is named', () => {
    const page = read('docs/profile.md');
    expect(Object.keys(needs).filter((need) => !page.includes(`\`${need}\``))).toEqual([]);
    const rules = read('docs/rules.md');
    expect(catalogue.all.filter(({ id }) => !rules.includes(`### ${id}\n`))).toEqual([]);
  });
});
