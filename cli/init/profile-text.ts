import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findPackageJSON } from 'node:module';
import { stringify } from 'yaml';
import type { Profile } from '../../contract/profile.ts';

/** Longest profile that is written, in lines. */
export const mostLines = 60;

type Section = readonly [key: string, comment?: string | ((profile: Profile) => string | undefined)];

const sections: readonly Section[] = [
  ['profileVersion'],
  ['implementation'],
  ['baseUrl'],
  ['tls'],
  ['proxy'],
  ['space'],
  ['participant'],
  ['auth'],
  ['identities', furtherIdentities],
  ['informationFilter'],
  ['softTypes', 'each part written and read once'],
  ['references'],
  ['filters', 'seen to choose entries of the array port of softTypes.primary'],
  ['caching', 'answered with an ETag that stays'],
  ['collection', 'answered the administrator'],
  ['maturity', 'from the links of a new object, promoted to the end where states says so'],
  ['multiCreate'],
  ['openApi'],
  ['routes', 'from the OpenAPI documents, or the usual ones where those show none'],
  ['listener', 'reached by the service'],
  ['triggers', 'a promote asks validations'],
  ['apiKeys'],
  ['bulk'],
  ['files', 'areas in which a small file could be uploaded, read and deleted'],
];

/** Mappings that stand on several lines, the first to be put on one line last. */
const spread = ['softTypes', 'softTypes.primary', 'routes', 'identities', 'softTypes.second'];

/** A profile as commented YAML of at most 60 lines. @param head comment lines */
export function profileText(profile: Profile, head: readonly string[]): string {
  for (let kept = spread.length; kept >= 0; kept -= 1) {
    const lines = [
      ...head.map((line) => `# ${line}`),
      ...sections.flatMap((section) => linesOf(section, profile, new Set(spread.slice(0, kept)))),
    ];
    if (lines.length <= mostLines) return `${lines.join('\n')}\n`;
  }
  throw new RangeError(`the profile needs more than ${mostLines} lines`);
}

function linesOf([key, comment]: Section, profile: Profile, open: ReadonlySet<string>): readonly string[] {
  const value: unknown = Object.entries(profile).find(([name]) => name === key)?.[1];
  if (value === undefined) return [];
  const [first = '', ...rest] = yamlOf(key, key, value, open, '');
  const told = typeof comment === 'function' ? comment(profile) : comment;
  return [told === undefined ? first : `${first} # ${told}`, ...rest];
}

function furtherIdentities({ identities }: Profile): string | undefined {
  const further = (['secondEditor', 'reader', 'outsider', 'noRole', 'administrator'] as const).filter(
    (name) => identities[name] === undefined,
  );
  return further.length === 0 ? undefined : `further ones: ${further.join(', ')}`;
}

function yamlOf(
  key: string,
  path: string,
  value: unknown,
  open: ReadonlySet<string>,
  indent: string,
): readonly string[] {
  const name = flow(key);
  if (!open.has(path) || typeof value !== 'object' || value === null) return [`${indent}${name}: ${flow(value)}`];
  const members: readonly (readonly [string, unknown])[] = Object.entries(value);
  return [
    `${indent}${name}:`,
    ...members.flatMap(([inner, each]) => yamlOf(inner, `${path}.${inner}`, each, open, `${indent}  `)),
  ];
}

function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0, blockQuote: false }).trimEnd();
}

/** Where an editor finds the schema of profiles: beside the profile where the package is installed there, else by its file. */
export function schemaPlace(out: string): string {
  const root = dirname(findPackageJSON(import.meta.url) ?? fileURLToPath(import.meta.url));
  const file = resolve(root, 'docs', 'profile.schema.json');
  const path = relative(dirname(resolve(out)), file);
  return path.startsWith('..') ? pathToFileURL(file).href : path.split(sep).join('/');
}
