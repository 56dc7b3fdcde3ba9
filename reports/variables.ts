import type { RunHeader } from '../judge/outcome.ts';
import type { Standing } from './assessment.ts';

/** A variable that curl lines name, and the shell line that sets it or says where its value stands. */
export interface Variable {
  readonly name: string;
  readonly line: string;
}

/** The variables that the curl lines of these violations name, each after those that its own line names. */
export function variablesOf(standings: readonly Standing[], { variables }: RunHeader): readonly Variable[] {
  const used = new Set<string>();
  const collect = (text: string): void => {
    for (const name of Object.keys(variables)) if (!used.has(name) && names(text, name)) visit(name);
  };
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    collect(variables[name] ?? '');
    used.add(name);
  };
  for (const { outcome } of standings) collect((outcome?.violation?.curl ?? []).join('\n'));
  return [...used].map((name) => ({ name, line: lineOf(name, variables[name] ?? '') }));
}

function names(text: string, name: string): boolean {
  return text.includes(`\${${name}}`) || text.includes(`$${name}`);
}

function lineOf(name: string, how: string): string {
  return how.startsWith(`${name}=`) ? how : `${name}=  ${how}`;
}
