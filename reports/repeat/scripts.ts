import type { Outcome } from '../../judge/outcome.ts';
import type { Run } from '../run.ts';
import { curlScript } from './curl.ts';
import { harFile } from './har.ts';
import { httpFile } from './http.ts';
import { hurlFile } from './hurl.ts';
import type { Told } from './told.ts';

/** Ends of the names of the files that show a finding again. */
export const scriptExtensions = ['sh', 'hurl', 'http', 'har'] as const;

export interface ScriptFile {
  /** Rule and extension. */
  readonly name: string;
  readonly text: string;
}

/** Every finding of a run that has a script, in each form that can say it. */
export function scriptsOf({ outcomes, header, rules }: Run): readonly ScriptFile[] {
  const last = new Map(outcomes.map((outcome) => [outcome.rule, outcome]));
  return [...last.values()].flatMap((outcome) => {
    const statement = rules.find(({ id }) => id === outcome.rule)?.statement ?? '';
    const told = toldOf(outcome, statement, header.variables);
    if (told === undefined) return [];
    const texts: Readonly<Record<(typeof scriptExtensions)[number], string | undefined>> = {
      sh: curlScript(told),
      hurl: hurlFile(told),
      http: httpFile(told),
      har: harFile(told, header),
    };
    return scriptExtensions.flatMap((extension) => {
      const text = texts[extension];
      return text === undefined ? [] : [{ name: `${outcome.rule}.${extension}`, text }];
    });
  });
}

function toldOf(
  { rule, violation, trace }: Outcome,
  statement: string,
  variables: Told['variables'],
): Told | undefined {
  const { repetition, expected = '', actual = '' } = violation ?? {};
  if (repetition === undefined || 'reason' in repetition) return undefined;
  return { rule, statement, expected, actual, repetition, variables, ...(trace && { trace }) };
}
