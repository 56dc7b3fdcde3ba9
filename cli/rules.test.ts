import { Ajv } from 'ajv';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ruleListSchema } from '../contract/schemas/rule-list.ts';
import { explainCommand, rulesCommand } from './rules.ts';

const isRuleList = new Ajv({ allErrors: true }).compile(ruleListSchema);
afterEach(() => vi.restoreAllMocks());

async function printed(command: () => Promise<number>): Promise<string> {
  const parts: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => parts.push(String(text)) > 0);
  expect(await command()).toBe(0);
  return parts.join('');
}

describe('rules', () => {
  test('lists all of them', async () => {
    const text = await printed(() => rulesCommand({}));
    expect(text.split('\n').filter((line) => /^[a-z-]+\.[a-z]/.test(line))).toHaveLength(596);
    expect(text).toContain('596 rules: 453 must, 64 should, 79 observe.');
  });

  test('one area', async () => {
    const text = await printed(() => rulesCommand({ area: 'paging' }));
    expect(text).toContain('paging.page-one.holds-the-rest');
    expect(text).not.toContain('patch.');
  });

  test('as JSON, as its schema describes it', async () => {
    const list: unknown = JSON.parse(await printed(() => rulesCommand({ json: true })));
    isRuleList(list);
    expect(isRuleList.errors).toBeNull();
    expect(list).toMatchObject({ totals: { rules: 596, must: 453, should: 64, observe: 79 } });
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
      'svc-conformance check --rules paging.page-one.holds-the-rest',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('an unknown id names the nearest ones', async () => {
    await expect(explainCommand('paging.page-one.hold-the-rest')).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('paging.page-one.holds-the-rest'),
    });
  });
});
