import { catalogue } from '../../suites/catalogue.ts';
import { areas } from '../../contract/areas.ts';
import type { Rule } from '../../judge/rule.ts';
import { code, escaped } from './markdown.ts';

/** Every rule with its statement, source and fault, as a page. */
export function rulesPage(): string {
  return (
    [
      '# Rules',
      `${catalogue.all.length} rules. A breach of a \`must\` fails a run, a breach of a \`should\` warns, and an \`observe\` records what a deployment does where the documents are silent.`,
      ...areas.flatMap((area) =>
        areaPart(
          area,
          catalogue.all.filter((rule) => rule.area === area),
        ),
      ),
    ].join('\n\n') + '\n'
  );
}

function areaPart(area: string, rules: readonly Rule[]): readonly string[] {
  return rules.length === 0 ? [] : [`## ${area}`, ...rules.map(rulePart)];
}

function rulePart({ id, level, side, source, statement, needs, fault }: Rule): string {
  const facts = [
    `- Level: ${level}${side === 'extension' ? ', about extension hosts' : ''}`,
    `- Source: ${oneLine(source)}`,
    ...(fault === undefined ? [] : [`- Fault that it notices: ${oneLine(fault)}`]),
    ...(needs.length === 0 ? [] : [`- Needs: ${needs.map(code).join(', ')}`]),
  ];
  return `### ${id}\n\n${oneLine(statement)}\n\n${facts.join('\n')}`;
}

function oneLine(text: string): string {
  return escaped(text.replaceAll(/\s+/g, ' ').trim());
}
