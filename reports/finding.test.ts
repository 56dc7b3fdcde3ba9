import { expect, test } from 'vitest';
import type { Standing } from './assessment.ts';
import { replayCommand, variablesOf } from './finding.ts';
import { allRules, outcomeWith, runWith } from './run.fixture.ts';

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

const [rule] = allRules;
if (rule === undefined) throw new Error('no rule is built');
const variables = {
  EDITOR_PASSWORD: '# identities.editor.password of the profile',
  READER_TOKEN: 'READER_TOKEN=$(curl other)',
  EDITOR_TOKEN: 'EDITOR_TOKEN=$(curl --user "c:${CLIENT_SECRET}" "${EDITOR_PASSWORD}")',
  CLIENT_SECRET: '# auth.clientSecret of the profile',
};

const known = rule;
function standing(curl: readonly string[]): Standing {
  const violation = { expected: 'a', actual: 'b', curl };
  return { rule: known, state: 'fail', outcome: outcomeWith(known.id, 'fail', { violation }) };
}

test('only variables that a curl line needs are told, each after those it needs itself', () => {
  const told = variablesOf([standing(['curl --header "Authorization: Bearer ${EDITOR_TOKEN}" http://x'])], {
    variables,
  });
  expect(told.map(({ name }) => name)).toEqual(['EDITOR_PASSWORD', 'CLIENT_SECRET', 'EDITOR_TOKEN']);
  expect(told.map(({ line }) => line)).toEqual([
    ': "${EDITOR_PASSWORD:?export it: identities.editor.password of the profile}"',
    ': "${CLIENT_SECRET:?export it: auth.clientSecret of the profile}"',
    '[ -n "${EDITOR_TOKEN:-}" ] || EDITOR_TOKEN=$(curl --user "c:${CLIENT_SECRET}" "${EDITOR_PASSWORD}")',
  ]);
});

test('nothing is told where no curl line names a variable', () => {
  expect(variablesOf([standing(['curl http://x'])], { variables })).toEqual([]);
});
