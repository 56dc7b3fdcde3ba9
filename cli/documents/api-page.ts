import { readFileSync } from 'node:fs';

/** What is imported from a package of that name, and where it is made. */
interface EntryPoint {
  readonly name: string;
  readonly file: string;
}

const entryPoints: readonly EntryPoint[] = [
  { name: 'svc-conformance', file: 'api/index.ts' },
  { name: 'svc-conformance/fetch', file: 'api/fetch.ts' },
  { name: 'svc-conformance/nock', file: 'api/nock.ts' },
  { name: 'svc-conformance/vitest', file: 'api/vitest.ts' },
  { name: 'svc-conformance/journeys', file: 'api/journeys.ts' },
];

/** Shapes that are told elsewhere, or by their schema. */
const toldElsewhere: ReadonlySet<string> = new Set([
  'KnownRuleId',
  'Profile',
  'IdentityName',
  'ExtensionProfile',
  'Area',
  'ScriptedAnswer',
  'Step',
]);

const introduction = [
  '# Library',
  'The service, the extension host and the rules in the tests of anybody. Times are in ms where no unit is named, and moments are `Date`. What is opened is closed by `close()` or by `await using`; nothing is left then, no handle, no timer and no file.',
  'What is wrong with an option is an error with a `code`, whose message says what was expected, what was found and what to do: `OPTION` (a name, a value or a fault that there is not, also where no types are looked at), `CONFIGURATION` (a space or a seed, with line and column), `yaml`, `content`, `variable` and `unreadable` (a profile, with line and column), `SELECTION` (a pattern that fits no rule), `SCRIPT` (answers of an extension host), `STORE` (a store that cannot be opened), `ORDER` and `REFUSAL` (objects of a seed that do not fit), `UNKNOWN_FORMAT`, `JOURNAL_TIMEOUT`.',
  'It runs in Node 24 or later. nock and vitest are asked for only by their entry points. What stands on this page keeps to semantic versioning: what breaks a test of yours comes with a new major version, and before 1.0 with a new minor one.',
];

/** The library from its doc comments, with examples that are run. */
export function apiPage(): string {
  const parts = [...introduction, textOf('api/examples.md').trim(), ...entryPoints.flatMap(entryPart)];
  return `${parts.join('\n\n')}\n`;
}

function entryPart({ name, file }: EntryPoint): readonly string[] {
  const text = textOf(file);
  const own = [...text.matchAll(/^export (?:async )?(?:function|interface|type|class|const) (\w+)/gm)].map(
    ([, word = '']) => ({
      word,
      from: file,
    }),
  );
  const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)].flatMap(
    ([, words = '', path = '']) =>
      words
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '' && !toldElsewhere.has(word))
        .map((word) => ({ word, from: new URL(path, `file:///${file}`).pathname.slice(1) })),
  );
  return [`## ${name}`, ...[...passedOn, ...own].map(({ word, from }) => declarationPart(word, textOf(from)))];
}

/** A declaration with its comment. @throws {Error} there is none: an export without a comment is no part of a library */
function declarationPart(word: string, text: string): string {
  const pattern = new RegExp(
    String.raw`^/\*\*((?:(?!\*/)[^])*)\*/\nexport (?:async )?(function|interface|type|class|const) ${word}\b[^]*?(?=\n\n|\n/\*\*|\n?(?![^]))`,
    'm',
  );
  const found = pattern.exec(text);
  if (found === null) throw new Error(`Expected ${word} with a doc comment.`);
  const [whole, comment = '', kind = ''] = found;
  const code = whole
    .slice(whole.indexOf('*/\n') + '*/\n'.length)
    .replace(/^export /, '')
    .replace(/^(const \w+: [^=]+) = [^]*$/, '$1;');
  return `### ${word}\n\n${sentences(comment)}\n\n\`\`\`ts\n${kind === 'function' ? signatureOf(code) : code}\n\`\`\``;
}

function sentences(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim());
  return lines
    .join(' ')
    .trim()
    .replaceAll(/\s*@param (\w+)/g, '\n\n`$1`:')
    .replaceAll(/\s*@throws \{([^}]*)\}/g, (_all, kinds: string) => `\n\nThrows \`${kinds}\`:`)
    .replaceAll(/\s*@throws /g, '\n\nThrows ')
    .replaceAll('<', '&lt;');
}

/** Up to its body. */
function signatureOf(code: string): string {
  const end = code.search(/ \{\n(?= {2}(?!readonly))/);
  return `${code.slice(0, end < 0 ? code.length : end).replace(/^async /, '')};`;
}

function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}
