import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aliases } from '../contract/aliases.ts';
import { declaredOn } from './declarations.ts';
import { gateOf } from '../cli/check/gate.ts';
import { compareCommand } from '../cli/compare.ts';
import { captureOutput } from '../cli/output.fixture.ts';
import { rulePatternList, ruleId } from '../cli/values.ts';
import { updateKnown } from '../cli/known/update-known.ts';
import type { RuleId } from '../contract/rule.ts';
import { checkProfile, ProfileDocument } from '../judge/profile/document.ts';
import { assess } from '../reports/assessment.ts';
import { exitOf } from '../reports/exit.ts';
import { outcomeWith, runWith } from '../reports/run.fixture.ts';
import { writeJson } from '../reports/json.ts';
import { catalogue } from '../suites/catalogue.ts';

const former: Readonly<Record<string, readonly RuleId[]>> = {
  'paging.link.count': ['paging.link.pages-count'],
  'paging.link.numbers': ['paging.link.pages-count', 'paging.link.total-number'],
};
beforeAll(() => void Object.assign(aliases, former));
afterAll(() => {
  for (const id of Object.keys(former)) Reflect.deleteProperty(aliases, id);
});

const [pages, total] = ['paging.link.pages-count', 'paging.link.total-number'] as const satisfies readonly RuleId[];
const identities = { editor: {} };
const day = '2026-11-21';

function exitWith(known: Readonly<Record<string, string>>, failing: readonly RuleId[]) {
  const header = declaredOn(day, { identities, knownFailures: known });
  return exitOf(
    runWith(
      failing.map((id) => outcomeWith(id, 'fail')),
      header,
    ),
  ).code;
}

describe('an id of before', () => {
  it('may stand in a profile', () => {
    const text = readFileSync(new URL('../fixtures/profile.yaml', import.meta.url), 'utf8').replaceAll(
      /\$\{BASE_URL\}/g,
      'http://127.0.0.1:1',
    );
    const named = `${text}\nknownFailures: { paging.link.count: soon }\n`;
    const read = () => checkProfile(new ProfileDocument(named, 'profile.yaml'), catalogue.all);
    expect(read).not.toThrow();
    const misspelt = new ProfileDocument(named.replace('link.count', 'link.counts'), 'profile.yaml');
    expect(() => checkProfile(misspelt, catalogue.all)).toThrow(/is no rule/);
  });

  it('is a known failure of the rule that it is now, and no longer where that passes', () => {
    expect(exitWith({ 'paging.link.count': 'soon' }, [pages])).toBe(0);
    expect(exitWith({ 'paging.link.count': 'soon' }, [pages, total])).toBe(1);
    expect(exitWith({ 'paging.link.count': 'soon' }, [])).toBe(1);
  });

  it('covers all that a rule was split into, of which some may pass', () => {
    expect(exitWith({ 'paging.link.numbers': 'soon' }, [pages, total])).toBe(0);
    expect(exitWith({ 'paging.link.numbers': 'soon' }, [total])).toBe(0);
    expect(exitWith({ 'paging.link.numbers': 'soon' }, [])).toBe(1);
    expect(exitWith({ 'paging.link.numbers': 'soon', [pages]: 'soon' }, [total])).toBe(1);
  });

  it('says what is not offered', () => {
    const { notSupported } = declaredOn(day, { identities, notSupported: { 'paging.link.numbers': 'no numbers' } });
    expect(Object.keys(notSupported)).toEqual([pages, total]);
  });

  it('gives way to the ids of today in a profile that is edited', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-aliases-'));
    const file = join(folder, 'profile.yaml');
    writeFileSync(file, 'knownFailures:\n  paging.link.numbers: soon\n');
    updateKnown(file, [outcomeWith(pages, 'pass'), outcomeWith(total, 'fail')], { startedAt: `${day}T00:00:00.000Z` });
    expect(readFileSync(file, 'utf8')).toBe(`knownFailures:\n  ${total}: soon\n`);
    rmSync(folder, { recursive: true });
  });

  it('tells --only-changed-since how the rule stood', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-aliases-'));
    const file = join(folder, 'report.json');
    const run = runWith([outcomeWith(pages, 'fail')]);
    const old = writeJson(run)
      .replaceAll(`"${pages}"`, '"paging.link.count"')
      .replaceAll(`"${total}"`, '"paging.link.sum"');
    writeFileSync(file, old);
    const gate = gateOf({ onlyChangedSince: file, sinceAny: true })?.({
      implementation: 'somebody',
      suiteVersion: '0.2.0',
      profileDigest: 'x',
    });
    expect(gate?.since?.states[pages]).toBe('fail');
    const now = runWith([outcomeWith(pages, 'fail')], gate === undefined ? {} : { gate });
    expect(exitOf(now, assess(now)).code).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('is the rule of today where two runs are compared, and what got worse is a regression', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-aliases-'));
    const [before, after] = [join(folder, 'before.json'), join(folder, 'after.json')];
    writeFileSync(before, writeJson(runWith([])).replaceAll(`"${pages}"`, '"paging.link.count"'));
    writeFileSync(after, writeJson(runWith([outcomeWith(pages, 'fail')])));
    const compared = await captureOutput(() => compareCommand(before, after, { allowGone: true }));
    expect(compared.exitCode).toBe(1);
    expect(compared.stdout).toContain('1 regression, 0 repairs, 0 otherwise changed, 0 new, 0 gone,');
    expect((await captureOutput(() => compareCommand(before, before, {}))).exitCode).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('is told by a command line as what it is now', () => {
    expect(() => ruleId('paging.link.numbers')).toThrow(`"paging.link.numbers" of before is ${pages} and ${total} now`);
    expect(() => rulePatternList('paging.link.count')).toThrow(`"paging.link.count" of before is ${pages} now`);
  });
});
