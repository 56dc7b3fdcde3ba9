import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { RuleId } from '../../contract/rule.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { replaces } from '../../variants/breaks.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { catalogue } from '../catalogue.ts';

const rules: readonly RuleId[] = [
  'headers.location.on-create',
  'headers.location.leads-to-object',
  'headers.uris.stay-on-gateway',
  'reading.create.status-201',
  'versioning.edit.merge-adds-one',
];

test.each([
  'api/space/main/softtype/x',
  'urn:x:y',
  'mailto:a@b.example',
  'http://[bad',
  'http://127.0.0.1:99999/x',
  '///',
  '#',
])('a create whose Location is %s is judged', async (Location) => {
  const located = replaces('editing', 'createObject', async (right, areas, ...rest) => {
    const answer = await right(areas, ...rest);
    return { ...answer, headers: { ...answer.headers, Location } };
  });
  await using server = await startReference({}, (options) => createVariant({ ...options, faults: [located] }));
  await using open = openJudge(catalogue, { loaded: server.loaded, seed: 1, runs: 1 });
  const verdicts = new Map<RuleId, string | undefined>();
  for (const rule of rules) verdicts.set(rule, (await open.judge(rule, new AbortController().signal)).outcome?.verdict);
  expect([...verdicts.values()]).not.toContain('broken');
  expect(verdicts.get('headers.location.leads-to-object')).toBe('fail');
});
