import { catalogue } from '../../suites/catalogue.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { needs } from '../../contract/needs.ts';
import type { Rule } from '../../judge/rule.ts';
import { pages } from './pages.ts';
import { profilePage } from './profile-page.ts';
import { placeOf, rulePages } from './rule-pages.ts';

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
    const [, small = ''] = /```yaml\n([^]*?)```/.exec(read('docs/profile.md')) ?? [];
    expect(isProfile(parse(small)), JSON.stringify(isProfile.errors)).toBe(true);
  });

  test('keys that are alike are spelled out once, and nothing is said of placeholders that there are not', () => {
    const page = profilePage();
    expect(page).toMatch(/^\| `softTypes\.second` \|.* Keys as of `softTypes\.primary`\. \|$/m);
    expect(page).not.toMatch(
      /^\| `(?:softTypes\.(?:second|further\[\])|secondSpace\.softType|identities\.reader)\.\w/m,
    );
    expect(page).toContain('`softTypes.primary.arrayPort.nested.text`');
    expect(page).not.toContain('Placeholders: .');
  });

  test('every rule and need is named', () => {
    const page = read('docs/profile.md');
    expect(Object.keys(needs).filter((need) => !page.includes(`\`${need}\``))).toEqual([]);
    const isDescribed = (rule: Rule): boolean => {
      const [path = '', anchor] = placeOf(rule).split('#');
      return read(path).includes(`<a id="${anchor}"></a>\n\n## ${rule.id}\n`);
    };
    expect(catalogue.all.filter((rule) => !isDescribed(rule))).toEqual([]);
  });

  test('the folder of the rules holds the pages of today, and every link in it leads to an anchor', () => {
    const names = readdirSync(new URL('../../docs/rules', import.meta.url));
    expect(names.map((name) => `docs/rules/${name}`).toSorted()).toEqual(rulePages.map(({ path }) => path).toSorted());
    const texts = new Map(names.map((name) => [name, read(`docs/rules/${name}`)]));
    const leadsNowhere = [...texts].flatMap(([name, text]) =>
      [...text.matchAll(/\]\(([\w-]+\.md)?(?:#([^)]+))?\)/g)].flatMap(([link, page = name, anchor]) => {
        const target = texts.get(page);
        const isThere = target !== undefined && (anchor === undefined || target.includes(`<a id="${anchor}"></a>`));
        return isThere ? [] : [`${name}: ${link}`];
      }),
    );
    expect(leadsNowhere).toEqual([]);
  });
});
