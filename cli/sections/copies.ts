import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '../../contract/named-file.ts';
import pinned from '../../suites/documents.json' with { type: 'json' };
import { UsageError } from '../usage.ts';
import { type Section, sectionsOf } from './sections.ts';

/** The documents, by the names that sources of rules begin with. */
export const documentNames = ['core', 'extensions'] as const;
export type DocumentName = (typeof documentNames)[number];

/** Sections that rules name, by document. */
export type Documents = Readonly<Partial<Record<DocumentName, readonly Section[]>>>;

/** What the rules of this version are pinned to. */
export const pinnedDocuments: Documents = pinned as Documents;

const mostBytes = 16 * 1024 * 1024;
const mostFiles = 1000;
/** A copy has at least so many of the headings that rules name, or it is another text. */
const leastShare = 0.5;

/** The copies that somebody has of the documents, in files or folders of Markdown. @throws {UsageError} there is none among them, or one twice */
export function readCopies(paths: readonly string[]): Documents {
  const found = new Map<DocumentName, { readonly file: string; readonly sections: readonly Section[] }>();
  for (const file of paths.flatMap(filesAt)) {
    const text = readTextFile(file, (why) => new UsageError(`${file}: cannot be read: ${why}`), mostBytes);
    const sections = sectionsOf(text);
    const name = nameOf(sections);
    if (name === undefined) continue;
    const other = found.get(name)?.file;
    if (other !== undefined)
      throw new UsageError(`${other} and ${file} are both copies of one document (${name}); name one of them`);
    found.set(name, { file, sections });
  }
  if (found.size === 0)
    throw new UsageError(
      `no copy of a document in ${paths.join(' and ')}; name files in Markdown, or folders of them, with the headings that the rules name`,
    );
  return Object.fromEntries([...found].map(([name, { sections }]) => [name, sections]));
}

function filesAt(path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`${path}: there is no such file or folder`);
  if (!stat.isDirectory()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:md|markdown)$/i.test(name),
  );
  if (files.length > mostFiles)
    throw new UsageError(`${path}: more than ${mostFiles} files in Markdown; name a folder of copies`);
  return files.toSorted().map((name) => join(path, name));
}

/** The document most of whose headings it has. */
function nameOf(sections: readonly Section[]): DocumentName | undefined {
  const names = new Set(sections.map(({ name }) => name));
  const shares = documentNames.map((name) => {
    const wanted = pinnedDocuments[name] ?? [];
    return { name, share: wanted.filter((section) => names.has(section.name)).length / wanted.length };
  });
  const [best] = shares.toSorted((one, other) => other.share - one.share);
  return best !== undefined && best.share >= leastShare ? best.name : undefined;
}
