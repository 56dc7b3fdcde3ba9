import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { replaces, type Variant } from '../../variants/breaks.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { catalogue } from '../catalogue.ts';

/** By its port id alone: one that comes with a link has been read by that. */
const wholeByPort: Variant = replaces('paging', 'assemblePage', async (right, areas, ...rest) => {
  const body = await right(areas, ...rest);
  const isInner = rest[0].url.includes('files%2F');
  return isInner ? { ...body, data: Array.from({ length: 11 }, () => body.data[0] ?? { $entryId: 1 }) } : body;
});

test.each([
  ['{{entryId}}, as it is served', 'files/{{entryId}}/revisions', [], 'pass', '200, 200, 200'],
  ['{{entryId}}, longer than a page', 'files/{{entryId}}/revisions', [wholeByPort], 'fail', undefined],
  ['a port that is not served', 'revisions', [], 'pass', '404, 404, 404'],
])('the pages of an array inside an entry: %s', async (_, portId, faults, verdict, statuses) => {
  await using server = await startReference({}, (options) => createVariant({ ...options, faults }));
  const { softTypes } = server.loaded.profile;
  const arrayPort = softTypes?.primary.arrayPort;
  if (softTypes === undefined || arrayPort?.nested === undefined) throw new Error('no array inside an entry');
  const primary = {
    ...softTypes.primary,
    arrayPort: { ...arrayPort, nested: { ...arrayPort.nested, portId } },
  };
  const profile = { ...server.loaded.profile, softTypes: { ...softTypes, primary } };
  await using open = openJudge(catalogue, { loaded: { ...server.loaded, profile }, seed: 1, runs: 1 });
  const { outcome } = await open.judge('paging.nested-array.limited', new AbortController().signal);
  expect(outcome?.verdict).toBe(verdict);
  if (verdict === 'fail') expect(outcome?.violation?.actual).toContain('11');
  const seen = outcome?.observations?.find(({ what }) => what === 'pages of 21 nested entries');
  if (statuses !== undefined) expect(seen?.seen).toBe(statuses);
});
