import { isObject } from '../json.ts';

/** How a JSON text is written; what it says is the same. Source: RFC 8259, 2, 4 and 7 */
export interface JsonSpelling {
  readonly what: string;
  /** Space, tabs and line ends around each token. */
  readonly isSpaced?: true;
  /** An escape in the place of the first character of each text and name, and of each slash. */
  readonly isEscaped?: true;
  /** Members in the opposite order. */
  readonly isTurned?: true;
  /** Each number in another notation. */
  readonly numberText?: (value: number) => string;
  /** Texts without an escape in any case: secrets are known, to be hidden, as they are usually written. */
  readonly plain?: readonly unknown[];
}

/** Each by itself. */
export const jsonSpellings: readonly JsonSpelling[] = [
  { what: 'with white space around its tokens', isSpaced: true },
  { what: 'with escapes in its texts and names', isEscaped: true },
  { what: 'with its members in another order', isTurned: true },
];

/** Of numbers, as programs write them that know no integers; whether it is taken where an integer is meant is not said. */
export const numberSpellings: readonly JsonSpelling[] = [
  {
    what: 'with a point and a zero behind integers',
    numberText: (value) => (Number.isSafeInteger(value) ? `${value}.0` : JSON.stringify(value)),
  },
  {
    what: 'with numbers by a power of ten',
    numberText: byPowerOfTen,
  },
];

/** So that what is left where the power is overlooked is another number. */
function byPowerOfTen(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0e1' : '0e1';
  return Number.isSafeInteger(value) ? `${value}0e-1` : value.toExponential();
}

/** All of them at once. */
export const everySpelling: JsonSpelling = {
  what: 'in another spelling',
  isSpaced: true,
  isEscaped: true,
  isTurned: true,
};

export function spelled(value: unknown, spelling: JsonSpelling): string {
  const space = spelling.isSpaced ? ' \r\n\t' : '';
  const within = (open: string, parts: readonly string[], close: string): string =>
    `${space}${open}${parts.join(`${space},${space}`)}${space}${close}${space}`;
  if (Array.isArray(value))
    return within(
      '[',
      value.map((item: unknown) => spelled(item, spelling)),
      ']',
    );
  if (isObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return within(
      '{',
      (spelling.isTurned ? members.toReversed() : members).map(
        ([name, member]) => `${textOf(name, spelling)}${space}:${space}${spelled(member, spelling)}`,
      ),
      '}',
    );
  }
  if (typeof value === 'string') return textOf(value, spelling);
  return typeof value === 'number' ? (spelling.numberText ?? JSON.stringify)(value) : JSON.stringify(value);
}

function textOf(text: string, { isEscaped, plain }: JsonSpelling): string {
  const usual = JSON.stringify(text);
  if (isEscaped === undefined || plain?.includes(text)) return usual;
  // what JSON has to escape anyhow stays as it is
  return usual
    .replace(/^"([^"\\])/, (_all, first: string) => `"\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', String.raw`\/`);
}

/** The URL with the last letter or digit of each of these ids percent-encoded where it stands in the path. Source: RFC 3986, 2.3 */
export function withEncodedIds(url: string, ids: readonly string[]): string {
  const known = new Set(ids.map(encodeURIComponent));
  const [path = '', ...query] = url.split('?');
  const segments = path.split('/').map((segment) => (known.has(segment) ? encodedAtTheEnd(segment) : segment));
  return [segments.join('/'), ...query].join('?');
}

/** The URL with the parameters of its query in the opposite order. */
export function withTurnedQuery(url: string): string {
  const [path = '', query] = url.split('?');
  return query === undefined ? path : `${path}?${query.split('&').toReversed().join('&')}`;
}

function encodedAtTheEnd(segment: string): string {
  return segment.replace(/(?<!%.?)[0-9A-Za-z]$/, (last) => `%${last.charCodeAt(0).toString(16)}`);
}
