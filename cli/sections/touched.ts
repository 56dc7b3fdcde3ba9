import { placesOf, type Place } from '../../reports/source.ts';
import { type DocumentName, documentNames, type Documents } from './copies.ts';
import type { Section } from './sections.ts';

/** A rule and where it comes from. */
export interface Sourced {
  readonly id: string;
  readonly source: string;
}

/** A section that is not what it was, and the rules that name it. */
export interface Touched {
  readonly document: DocumentName;
  readonly section: string;
  readonly change: 'changed' | 'gone' | 'new';
  /** Numbers of the items that changed, where nothing else of the section did. */
  readonly numbers?: readonly string[];
  /** Rules that name what changed, or the section as a whole. */
  readonly rules: readonly string[];
  /** Rules that name other items of the section, which are as they were. */
  readonly beside: readonly string[];
}

/** What stands in a document of that name, as sources of rules call it. */
const titles: Readonly<Record<string, DocumentName>> = {
  'core REST API': 'core',
  'file API and external extensions': 'extensions',
};

/** The section of a document that a place is in: of that heading, or of the one that begins with it. */
export function sectionAt<S extends Pick<Section, 'name'>>(
  { document, section }: Place,
  documents: Readonly<Partial<Record<DocumentName, readonly S[]>>>,
): S | undefined {
  const name = titles[document];
  const sections = name === undefined ? [] : (documents[name] ?? []);
  return sections.find((one) => one.name === section) ?? sections.find((one) => one.name.startsWith(section));
}

/** The sections of the documents that a rule names, only these. */
export function namedSections(documents: Documents, rules: readonly Sourced[]): Documents {
  const named = new Set(rules.flatMap(({ source }) => placesOf(source).map((place) => sectionAt(place, documents))));
  return Object.fromEntries(
    documentNames.map((name) => [name, (documents[name] ?? []).filter((section) => named.has(section))]),
  );
}

/** What differs between two copies of the same documents, and the rules that it touches. A document that is in one of them only is left out. */
export function touchedBy(old: Documents, now: Documents, rules: readonly Sourced[]): readonly Touched[] {
  return documentNames.flatMap((document) => {
    const [before, after] = [old[document], now[document]];
    if (before === undefined || after === undefined) return [];
    const names = [...new Set([...before, ...after].map(({ name }) => name))];
    return names.flatMap((name) => {
      const [was, is] = [before, after].map((sections) => sections.filter((section) => section.name === name));
      if (textOf(was) === textOf(is)) return [];
      return [touchedAt(document, { name, was: was?.[0], is: is?.[0] }, rules)];
    });
  });
}

function textOf(sections: readonly Section[] = []): string {
  return sections.map(({ digest }) => digest).join();
}

interface Change {
  readonly name: string;
  readonly was: Section | undefined;
  readonly is: Section | undefined;
}

function touchedAt(document: DocumentName, { name, was, is }: Change, rules: readonly Sourced[]): Touched {
  const numbers = was !== undefined && is !== undefined ? changedNumbers(was, is) : undefined;
  const here = rules
    .map(({ id, source }) => ({
      id,
      places: placesOf(source).filter((place) => sectionAt(place, { [document]: [{ name }] }) !== undefined),
    }))
    .filter(({ places }) => places.length > 0);
  const isTouched = ({ places }: (typeof here)[number]): boolean =>
    numbers === undefined || places.some(({ at }) => numbersIn(at)?.some((number) => numbers.includes(number)) ?? true);
  const change = changeOf(was, is);
  return {
    document,
    section: name,
    change,
    ...(numbers !== undefined && { numbers }),
    rules: here.filter(isTouched).map(({ id }) => id),
    beside: here.filter((one) => !isTouched(one)).map(({ id }) => id),
  };
}

function changeOf(was: Section | undefined, is: Section | undefined): Touched['change'] {
  if (was === undefined) return 'new';
  return is === undefined ? 'gone' : 'changed';
}

/** Undefined where more than numbered items changed. */
function changedNumbers(was: Section, is: Section): readonly string[] | undefined {
  if (was.rest !== is.rest) return undefined;
  const numbers = [...new Set([...Object.keys(was.numbered), ...Object.keys(is.numbered)])];
  const changed = numbers.filter((number) => was.numbered[number] !== is.numbered[number]);
  return changed.length === 0 ? undefined : changed;
}

/** The items that a place names, as `number 2 and 5 to 7` does; undefined where it names something else. */
function numbersIn(at: string): readonly string[] | undefined {
  const list = /^(?:number|rules?) (\d+(?:(?:, | and | to |, and )\d+)*)/.exec(at.replaceAll(/ \([^)]*\)/g, ''))?.[1];
  if (list === undefined) return undefined;
  return list.split(/, and |, | and /).flatMap((part) => {
    const [from = 0, to = from] = part.split(' to ').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
  });
}
