import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { documentsDiffCommand, documentsPinCommand } from './documents.ts';
import { captureOutput } from './output.fixture.ts';
import { documentNames, pinnedDocuments } from './sections/copies.ts';
import { sectionsOf } from './sections/sections.ts';
import { sectionAt, touchedBy } from './sections/touched.ts';
import { placesOf } from '../reports/source.ts';
import { catalogue } from '../suites/catalogue.ts';

const rules = catalogue.all;
const folder = makeFolder();

/** A text of nobody with the headings of a document, five items a section. */
function copyOf(name: (typeof documentNames)[number], changed: Readonly<Record<string, string>> = {}): string {
  const section = (heading: string): string =>
    [`## ${heading} (in short)`, '', `About ${heading}.`, '', ...[1, 2, 3, 4, 5].map((n) => `${n}. Item ${n}.`)].join(
      '\n',
    );
  const sections = (pinnedDocuments[name] ?? []).map((one) => changed[one.name] ?? section(one.name));
  return `# ${name}\n\n${sections.join('\n\n')}\n`;
}

function touched(name: (typeof documentNames)[number], changed: Readonly<Record<string, string>>) {
  return touchedBy({ [name]: sectionsOf(copyOf(name)) }, { [name]: sectionsOf(copyOf(name, changed)) }, rules);
}

const paging = ['## Server side paging (in short)', '', 'About Server side paging.', ''];
const items = [1, 2, 3, 4, 5].map((n) => `${n}. Item ${n}.`);

describe('what the rules are pinned to', () => {
  it('has the section of each place that a rule names', () => {
    for (const { id, source } of rules)
      for (const place of placesOf(source))
        expect([id, place, sectionAt(place, pinnedDocuments)?.digest]).toEqual([
          id,
          place,
          expect.stringMatching(/^[0-9a-f]{64}$/),
        ]);
  });

  it('has no word of a document but headings', () => {
    for (const sections of Object.values(pinnedDocuments))
      for (const { name, numbered, digest, rest } of sections) {
        expect(name).toMatch(/^[\w $-]{4,40}$/);
        for (const value of [digest, rest, ...Object.values(numbered)]) expect(value).toMatch(/^[0-9a-f]{64}$/);
      }
  });
});

describe('a section', () => {
  it('is the same however it is wrapped, indented and ended', () => {
    const [one] = sectionsOf('# A\n\nsome text  of two\nlines\n');
    expect(sectionsOf('# A\r\nsome text of\r\n  two lines')).toEqual([one]);
  });

  it('is found at once in lines that are long', () => {
    const blanks = ' '.repeat(200_000);
    const before = performance.now();
    for (const line of [`# a${blanks}b`, `#${blanks}`, `# ${'#'.repeat(200_000)}x`, `# a ${'# '.repeat(100_000)}x`])
      sectionsOf(line);
    expect(performance.now() - before).toBeLessThan(2000);
    expect(sectionsOf(`#  a${blanks}b  ## `).map(({ name }) => name)).toEqual(['a b']);
  });

  it('ends with the next heading of any depth, and none begins in a block of code', () => {
    expect(sectionsOf('# A\n```\n# no\n```\n### B\nb\n').map(({ name }) => name)).toEqual(['A', 'B']);
  });
});

describe('touched rules', () => {
  it('are none where nothing changed', () => {
    for (const name of documentNames) expect(touched(name, {})).toEqual([]);
  });

  it('are those that name the item that changed, others stand beside', () => {
    const changed = [...paging, ...items.with(3, '4. Another one.')].join('\n');
    const [one, ...others] = touched('core', { 'Server side paging': changed });
    expect(others).toEqual([]);
    expect(one).toMatchObject({ section: 'Server side paging', change: 'changed', numbers: ['4'] });
    expect(one?.rules).toContain('paging.page-one.holds-the-rest');
    expect(one?.rules).not.toContain('paging.link.present-above-ten');
    expect(one?.beside).toContain('paging.link.present-above-ten');
  });

  it('are all of a section whose other text changed, or that is gone', () => {
    const changed = [...paging, 'One sentence more.', '', ...items].join('\n');
    const wholes = [changed, ''].map((text) => touched('core', { 'Server side paging': text }));
    for (const [one] of wholes) {
      expect(one?.rules.filter((id) => id.startsWith('paging.')).length).toBeGreaterThan(20);
      expect(one?.beside).toEqual([]);
    }
    expect(wholes.map(([one]) => one?.change)).toEqual(['changed', 'gone']);
  });

  it.each(documentNames)('are found for each section of %s, and each rule by one of them', (name) => {
    const found = (pinnedDocuments[name] ?? []).map((section) => {
      const [one] = touched(name, { [section.name]: `## ${section.name}\n\nAll new.` });
      expect(one?.rules, section.name).not.toEqual([]);
      return one?.rules ?? [];
    });
    const wanted = rules.filter(({ source }) => source.startsWith(`${name}:`)).map(({ id }) => id);
    expect(new Set(found.flat())).toEqual(new Set([...wanted, ...found.flat()]));
  });
});

describe('documents diff', () => {
  it('tells copies by what is in them, in files or folders', async () => {
    const [old, now] = ['old', 'new'].map((name) => join(folder, name));
    if (old === undefined || now === undefined) throw new Error('Expected two.');
    for (const place of [old, now]) {
      mkdirSync(place);
      for (const name of documentNames) writeFileSync(join(place, `${name}-${place.length}.md`), copyOf(name));
      writeFileSync(join(place, 'letter.md'), '# Dear all\n');
    }
    expect(await captureOutput(() => documentsDiffCommand(old, now, {}))).toMatchObject({
      exitCode: 0,
      stdout: 'No section that a rule names has changed.\n',
    });
    writeFileSync(join(now, `core-${now.length}.md`), copyOf('core', { Versioning: '## Versioning\n\nNone.' }));
    const { exitCode, stdout } = await captureOutput(() => documentsDiffCommand(old, now, { json: true }));
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ rules: expect.arrayContaining(['versioning.edit.merge-adds-one']) });
  });

  it('holds one copy against the pins', async () => {
    const file = join(folder, 'mine.md');
    writeFileSync(file, copyOf('core'));
    const { exitCode, stdout } = await captureOutput(() => documentsDiffCommand(file, undefined, {}));
    expect(exitCode).toBe(1);
    expect(stdout).toContain('core: Server side paging (changed)');
    const pins = await captureOutput(() => documentsPinCommand([file]));
    expect(JSON.parse(pins.stdout)).toMatchObject({ core: expect.any(Array), extensions: [] });
  });

  it('says which document it did not compare, and is no good sign where one is gone', async () => {
    const [both, one] = ['both', 'one'].map((name) => join(folder, name));
    if (both === undefined || one === undefined) throw new Error('Expected two.');
    for (const place of [both, one]) mkdirSync(place);
    for (const name of documentNames) writeFileSync(join(both, `${name}.md`), copyOf(name));
    writeFileSync(join(one, 'core.md'), copyOf('core'));
    for (const pair of [[both, one] as const, [one, both] as const])
      expect(await captureOutput(() => documentsDiffCommand(...pair, {}))).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining('extensions was not compared'),
      });
    expect((await captureOutput(() => documentsDiffCommand(one, undefined, {}))).stderr).toContain('was not compared');
  });

  it('says where there is no copy of a document, or two of one', async () => {
    const [letter, one, other] = ['letter.md', 'one.md', 'other.md'].map((name) => join(folder, name));
    if (letter === undefined || one === undefined || other === undefined) throw new Error('Expected three.');
    writeFileSync(letter, '# Dear all\n');
    for (const file of [one, other]) writeFileSync(file, copyOf('core'));
    await expect(documentsDiffCommand(letter, undefined, {})).rejects.toThrow(/no copy of a document/);
    await expect(documentsDiffCommand(join(folder, 'none'), undefined, {})).rejects.toThrow(/no such file/);
    await expect(documentsPinCommand([one, other])).rejects.toThrow(/both copies of one document/);
  });
});
