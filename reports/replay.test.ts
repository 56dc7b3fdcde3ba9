import { expect, test } from 'vitest';
import { replayCommand } from './replay.ts';
import { runWith } from './run.fixture.ts';

test.each([
  ['svc-conformance check --seed 42', ''],
  [
    'svc-conformance check --profile a.yaml --areas paging --time virtual --bail --seed 42 --runs 20',
    ' --profile a.yaml --time virtual --runs 20',
  ],
  [
    String.raw`svc-conformance check --profile 'it'\''s here.yaml' --level must`,
    String.raw` --profile 'it'\''s here.yaml'`,
  ],
])('%s', (command, carried) => {
  const { header } = runWith([], { command });
  expect(replayCommand('paging.link.total-number', header)).toBe(
    `svc-conformance check${carried} --rules paging.link.total-number --seed 42`,
  );
});
