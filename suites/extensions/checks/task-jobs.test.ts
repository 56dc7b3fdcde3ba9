import { expect, test } from 'vitest';
import { scenario } from '../../../judge/case.ts';
import { runCase } from '../../../judge/case/run-case.ts';
import { sessionFor } from '../../../judge/run/session.fixture.ts';
import { smallProfile, smallService } from '../../../judge/small-service.fixture.ts';
import { catalogue } from '../../catalogue.ts';
import { expectDocumentedLinks } from './task-jobs.ts';

const url = 'http://service/report';
const links = [
  { id: 'taskStatus', method: 'PUT', url, place: '/payload/links/0', address: url, token: '' },
  { id: 'taskProgress', method: 'PUT', url, place: '/payload/links/1', address: url, token: '' },
];

test.each([
  ['', 'fail'],
  ['notSupported: { batch: none }', 'fail'],
  ["notSupported: { 'file-area-*': none }", 'pass'],
])('links that lead to no files are all where there are no file areas: %s', async (more, verdict) => {
  const service = await smallService((_request, response) => void response.end());
  const session = sessionFor(smallProfile(service.url, more));
  const asking = scenario(async (context) => expectDocumentedLinks(context, { links, call: {} }));
  const rule = catalogue.get('tasks.links.ids-and-methods');
  const outcome = await runCase({ ...rule, needs: [] }, asking, { session, seed: 1, runs: 1, deadlineMs: 5000 });
  expect(outcome.verdict).toBe(verdict);
});
