import { catalogue } from '../suites/catalogue.ts';
import { expect, test } from 'vitest';
import { variablesOf } from './variables.ts';
import type { Standing } from './assessment.ts';
import { outcomeOf } from '../judge/run/outcomes.fixture.ts';

const { test: _case, ...declared } = catalogue.get('paging.page-one.holds-the-rest');
const rule = { ...declared, kind: 'scenario' } as const;
const variables = {
  EDITOR_PASSWORD: '# identities.editor.password of the profile',
  READER_TOKEN: 'READER_TOKEN=$(curl other)',
  EDITOR_TOKEN: 'EDITOR_TOKEN=$(curl --user "c:${CLIENT_SECRET}" "${EDITOR_PASSWORD}")',
  CLIENT_SECRET: '# auth.clientSecret of the profile',
};

function standing(curl: readonly string[]): Standing {
  const violation = { expected: 'a', actual: 'b', curl };
  return { rule, state: 'fail', outcome: { ...outcomeOf(rule.id, 'fail'), violation } };
}

test('only variables that a curl line needs are told, each after those it needs itself', () => {
  const told = variablesOf([standing(['curl --header "Authorization: Bearer ${EDITOR_TOKEN}" http://x'])], {
    variables,
  } as never);
  expect(told.map(({ name }) => name)).toEqual(['EDITOR_PASSWORD', 'CLIENT_SECRET', 'EDITOR_TOKEN']);
  expect(told.map(({ line }) => line.split('=')[0])).toEqual(told.map(({ name }) => name));
});

test('nothing is told where no curl line names a variable', () => {
  expect(variablesOf([standing(['curl http://x'])], { variables } as never)).toEqual([]);
});
