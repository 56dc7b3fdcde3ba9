import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { Level } from '../contract/rule.ts';
import { ruleListSchema } from '../contract/schemas/rule-list.ts';
import { explainCommand, rulesCommand } from './rules.ts';
import { captureOutput } from './output.fixture.ts';
import { catalogue } from '../suites/catalogue.ts';

const countOf = (level: Level): number => catalogue.all.filter((rule) => rule.level === level).length;
const totals = {
  rules: catalogue.all.length,
  must: countOf('must'),
  should: countOf('should'),
  observe: countOf('observe'),
};
const isRuleList = new Ajv({ allErrors: true }).compile(ruleListSchema);

async function printed(command: () => Promise<number>): Promise<string> {
  const { exitCode, stdout } = await captureOutput(command);
  expect(exitCode).toBe(0);
  return stdout;
}

describe('rules', () => {
  test('lists all of them', async () => {
    const text = await printed(() => rulesCommand({}));
    expect(text.split('\n').filter((line) => /^[a-z-]+\.[a-z]/.test(line))).toHaveLength(catalogue.all.length);
    const { rules, must, should, observe } = totals;
    expect(text).toContain(`${rules} rules: ${must} must, ${should} should, ${observe} observe.`);
  });

  test('one area', async () => {
    const text = await printed(() => rulesCommand({ areas: ['paging'] }));
    expect(text).toContain('paging.page-one.holds-the-rest');
    expect(text).not.toContain('patch.');
  });

  test('some of one, and none that are spelled wrongly', async () => {
    const text = await printed(() => rulesCommand({ areas: ['paging'], rules: ['*.link.*'] }));
    expect(text).toContain('paging.link.total-number');
    expect(text).not.toContain('paging.page-one');
    await expect(rulesCommand({ rules: ['pagin.*'] })).rejects.toThrow('did you mean "paging.*"?');
  });

  test('as JSON, as its schema describes it', async () => {
    const list: unknown = JSON.parse(await printed(() => rulesCommand({ json: true })));
    isRuleList(list);
    expect(isRuleList.errors).toBeNull();
    expect(list).toMatchObject({ totals });
    expect(isRuleList({ ...(list as object), rules: [{}] })).toBe(false);
  });
});

describe('rules explain', () => {
  test('says what the row says and how to run it', async () => {
    const text = await printed(() => explainCommand('paging.page-one.holds-the-rest'));
    for (const part of [
      'Server side paging',
      'array-port: an array member',
      'fault',
      'stands on',
      'docs/rules/paging.md#paging.page-one.holds-the-rest',
      'svc-conformance check --rules paging.page-one.holds-the-rest',
    ]) {
      expect(text).toContain(part);
    }
  });
});
