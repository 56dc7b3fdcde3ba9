import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { replaces } from '../../variants/breaks.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { catalogue } from '../catalogue.ts';

/** Spelled so that nothing takes it for a profile of one's own. */
const write = { method: 'PUT', path: '/api/collection/user/%70rofile', body: { displayName: 'Cora' } };

const openToWrite = replaces('auth', 'authorize', (right, areas, user, access, call) => {
  if (access !== 'collection' || call.method === 'GET') right(areas, user, access, call);
});

test.for([
  ['pass', []],
  ['fail', [openToWrite]],
] as const)('a write of the collection by who is no administrator: %s', async ([verdict, faults]) => {
  await using server = await startReference({}, (options) => createVariant({ ...options, faults }));
  const { loaded } = server;
  const profile = { ...loaded.profile, collection: { reads: ['/api/collection/template'], writes: [write] } };
  await using open = openJudge(catalogue, { loaded: { ...loaded, profile }, seed: 1, runs: 1 });
  const { outcome } = await open.judge('collection.space-editor.status-403', new AbortController().signal);
  expect(outcome).toMatchObject({ verdict });
});
