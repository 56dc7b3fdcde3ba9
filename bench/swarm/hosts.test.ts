import { describe, expect, test } from 'vitest';
import { startHostTaking } from '../../api/deployment.ts';
import { silences } from '../../contract/silences.ts';
import type { RuleId } from '../../contract/rule.ts';
import { catalogue } from '../../suites/catalogue.ts';
import type { HostChoice } from '../../variants/extension-host/choice.ts';
import { dialectOfHost, hostChoices, hostFreedoms } from '../../variants/extension-host/choices.ts';
import { longTask } from '../../variants/extension-host/call-choices.ts';
import { partOf, textOf } from './draw.ts';
import { drawHostParts, hostKeysOf, judgeHost } from './hosts.ts';
import { findingsOf, saidOf } from './judge.ts';

const seed = 20;
const ids = catalogue.all.filter(({ side }) => side === 'extension').map(({ id }) => id);

/** More than these are no matter of a busy machine. */
const mostUndecided = 5;

/** What is said of a right host that it does not deserve. */
async function blamed(choices: readonly HostChoice[], rules: readonly RuleId[] = ids): Promise<readonly string[]> {
  const { outcomes, refusal } = await judgeHost(choices, { rules, seed });
  expect(refusal).toBeUndefined();
  const undecided = outcomes.filter(({ verdict }) => verdict === 'blocked' || verdict === 'broken');
  // a machine that stood still for a while proves nothing: neither that a rule is kept nor that it is not
  if (rules.length === ids.length && undecided.length > 0 && undecided.length < mostUndecided) {
    const [again, decided] = [undecided.map(({ rule }) => rule), outcomes.filter((one) => !undecided.includes(one))];
    return [...findingsOf(decided, []).map(saidOf), ...(await blamed(choices, again))];
  }
  return findingsOf(outcomes, []).map(saidOf);
}

test.each(['first', 'last'] as const)(
  'a host that takes the %s choice of each freedom keeps every rule',
  async (which) => {
    expect((await blamed(dialectOfHost(which))).join('\n')).toBe('');
  },
);

describe('a right host is not blamed where', () => {
  test.each([['tasks are taken with 202 and JSON'], ['tasks are taken with 204']])('%s', async (name) => {
    expect(await blamed(hostChoices([name]), ['tasks.host.acknowledged-first'])).toEqual([]);
  });

  test('a task takes longer than most, as its profile tells', async () => {
    expect(await blamed([longTask], ['tasks.host.failure-reported'])).toEqual([]);
  });

  test('the work begins when somebody looks for it, every few seconds', async () => {
    const late = hostChoices(['the work begins when somebody looks for it, every few seconds']);
    expect(await blamed(late, ['calls.host.uses-base-address', 'calls.host.uses-core-headers'])).toEqual([]);
  });

  test('much is sent after a download was given up that is withheld', async () => {
    const names = [
      'tasks report progress many times, with any message and more than that',
      'a task that fails says so as progress first',
    ];
    expect(await blamed(hostChoices(names), ['tasks.host.within-timeout'])).toEqual([]);
  });

  test('hostUri has a path that is not signed, and who is not let in is sent elsewhere', async () => {
    const names = ['hostUri has a path, which is not signed', 'wrong signatures are sent to a page where one logs in'];
    expect(await blamed(hostChoices(names), ['metadata.host.array-response'])).toEqual([]);
  });

  test('HEAD comes before the download, and has to be well', async () => {
    const asking = hostChoices(['HEAD comes before the download, and has to be well']);
    expect(await blamed(asking, ['tasks.host.final-status', 'tasks.host.downloads-input'])).toEqual([]);
  });
});

describe('the table of freedoms', () => {
  test('has no two choices that are described alike', () => {
    const names = hostFreedoms.flatMap(({ choices }) => choices.map(({ meets }) => meets));
    expect(names.length).toBeGreaterThan(80);
    expect(new Set(names).size).toBe(names.length);
  });

  test('names silences of the ledger, or a section', () => {
    const known = Object.values(silences).flatMap((part) => part.map(({ id }) => id));
    const open = hostFreedoms.map((freedom) => freedom.open);
    expect(open.filter((text) => !known.includes(text) && !/^(?:HTTP|core|extensions): /.test(text))).toEqual([]);
  });
});

test('what is drawn is told as text and read from it, and takes no freedom twice', async () => {
  await using target = await startHostTaking([]);
  const keys = hostKeysOf(target.loaded.profile);
  expect(keys).toContain('extensionHost.samples.task.failure');
  for (const key of ['extensionHost', 'extensionHost.apiKey', 'extensionHost.time.mode'])
    expect(keys).not.toContain(key);
  for (let drawn = 1; drawn < 40; drawn += 1) {
    const parts = drawHostParts(drawn, keys);
    expect(parts.map((part) => partOf(textOf(part)))).toEqual(parts);
    const taken = parts.flatMap(({ kind, name }) => (kind === 'choice' ? [name] : []));
    for (const { choices } of hostFreedoms)
      expect(choices.filter(({ meets }) => taken.includes(meets)).length).toBeLessThan(2);
  }
  expect(() => hostChoices(['what nobody chooses'])).toThrow(RangeError);
});
