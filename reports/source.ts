/** The names under which people know the two documents. */
const documents: Readonly<Record<string, string>> = {
  core: 'core REST API',
  extensions: 'file API and external extensions',
};

/** A place in one's own copy of a document. */
export interface Place {
  /** Name of the document. */
  readonly document: string;
  /** Heading of the section. */
  readonly section: string;
  /** Which sentence, row or rule of it. */
  readonly at: string;
}

/** Lists whose heading says that they hold rules, so that the word is part of the heading. */
const headings = /^(?:Operations-based PATCH|Batch|Multi-create) rules/;

/** Up to what tells a sentence, a row or a rule of the section. */
const heading = /^.*?(?=,? (?:rules? )?\d|,? \$|, | \(|$)/s;

/** The places that the source of a rule names, in its order: `core: Errors rule 1; Limits` names two of one document. */
export function placesOf(source: string): readonly Place[] {
  const places: Place[] = [];
  for (const part of source.split(/; (?![^(]*\))/)) {
    const [, name, text = part] = /^(?:(core|extensions): )?(.*)$/s.exec(part) ?? [];
    const last = places.at(-1);
    // what begins small is another place in the same section
    if (last !== undefined && name === undefined && /^[a-z]/.test(text))
      places[places.length - 1] = { ...last, at: `${last.at}, and ${text}` };
    else {
      const [section = text] = headings.exec(text) ?? heading.exec(text) ?? [];
      const document = name === undefined ? (last?.document ?? '') : (documents[name] ?? name);
      places.push({ document, section, at: atOf(text.slice(section.length)) });
    }
  }
  return places;
}

/** A bare number is that of an item in the list of the section, or the status in a row of its table. */
function atOf(rest: string): string {
  const text = rest.replace(/^,? /, '').replace(/^rules (\d+)$/, 'rule $1');
  if (/^\d{3}/.test(text)) return `row ${text}`;
  return /^\d/.test(text) ? `number ${text}` : text;
}

/** Where to look in one's own copy: document, section, and which sentence of it. */
export function sourceText(source: string): string {
  let told = '';
  return placesOf(source)
    .map(({ document, section, at }) => {
      const lead = document === told ? '' : `${document}, `;
      told = document;
      return `${lead}section “${section}”${at === '' ? '' : `, ${at}`}`;
    })
    .join('; ');
}

/** A command that prints the sections which a source names, of its first document, from one's own copy in Markdown. */
export function lookUpCommand(source: string): string {
  const places = placesOf(source);
  const sections = new Set(places.filter(({ document }) => document === places[0]?.document).map(headingOf));
  return `sed -n '${[...sections].map((heading) => `/^#.* ${heading}/,/^#/p`).join('; ')}' COPY.md`;
}

function headingOf({ section }: Place): string {
  return section.replaceAll(/[^\w ]/g, '.');
}
