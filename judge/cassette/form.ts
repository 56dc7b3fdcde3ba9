import { fitting } from '../../contract/misfit.ts';
import { optional } from '../../contract/schema-parts.ts';
import { Type } from '../../contract/type.ts';

/** Longest text that the suite makes bytes of, in bytes, and most generated runs that anybody asks for. */
const [mostMade, mostRuns] = [256 * 1024 * 1024, 100_000];

const text = Type.String();
const number = Type.Number();
/** What stands in one line of what others read: nothing in it begins another one. */
const oneLine = Type.String({ pattern: String.raw`^[^\r\n]*$` });
const length = Type.Integer({ minimum: 0, maximum: mostMade });
const content = Type.Union([
  text,
  Type.Array(Type.Union([text, Type.Object({ seed: text, from: length, length })])),
  Type.Object({ same: Type.Integer({ minimum: 0 }) }),
]);
const headers = Type.Array(Type.Tuple([oneLine, oneLine]));
const failure = Type.Object({ kind: text, message: text });

const lines: Readonly<Record<string, object>> = {
  ask: Type.Object({
    part: oneLine,
    at: number,
    method: oneLine,
    url: oneLine,
    headers,
    credential: optional(oneLine),
    body: optional(content),
    sentAt: optional(number),
    endedAt: optional(number),
    status: optional(Type.Integer({ minimum: 0, maximum: 999 })),
    answered: optional(headers),
    content: optional(content),
    failure: optional(failure),
  }),
  call: Type.Object({
    door: text,
    base: text,
    at: number,
    number,
    arrivedAt: number,
    arrivedWall: text,
    method: oneLine,
    target: oneLine,
    headers,
    body: content,
    cutShort: Type.Boolean(),
    end: optional(Type.Object({ at: number, endedAt: number })),
  }),
  stage: Type.Object({
    door: text,
    at: number,
    arrivedAt: number,
    method: oneLine,
    target: oneLine,
    headers,
    body: content,
  }),
  aside: Type.Object({ part: text, what: text, endedAt: optional(number), failure: optional(failure) }),
  timer: Type.Object({ part: text, ms: number, at: optional(number), fired: optional(Type.Boolean()) }),
  time: Type.Object({
    of: Type.Enum(['service', 'host']),
    at: number,
    set: optional(number),
    wake: optional(number),
    asked: optional(Type.Object({ from: number, to: Type.Union([number, Type.Null()]) })),
  }),
  lost: Type.Object({ stalls: Type.Array(Type.Unknown()) }),
  reading: Type.Object({ part: text, what: text, value: number }),
  door: Type.Object({ door: text, port: Type.Integer({ minimum: 0, maximum: 65_535 }) }),
  rule: Type.Object({ rule: text, at: number }),
  end: Type.Object({ part: text, at: number }),
};

const kinds = new Map(Object.entries(lines).map(([kind, schema]) => [kind, fitting(schema, {}, 'a line')]));

const about = fitting(
  Type.Object({
    implementation: text,
    suiteVersion: text,
    startedAt: text,
    profileDigest: optional(text),
    seed: number,
    runs: number,
    verdicts: Type.Array(Type.Object({ rule: text, verdict: text })),
  }),
  {},
  'what it says of itself',
);

const head = fitting(
  Type.Object({
    run: Type.Object({
      loaded: Type.Object({ profile: Type.Object({ implementation: text, baseUrl: text }), variables: Type.Unknown() }),
      rules: Type.Array(text),
      seed: number,
      runs: Type.Integer({ minimum: 1, maximum: mostRuns }),
    }),
    openedAt: number,
    timeOrigin: number,
  }),
  {},
  'its first line',
);

/** What is wrong with a part of a cassette, as the rest of a sentence; undefined where nothing is. Whoever made it may mean anything. */
export function wrongWith(part: 'about' | 'head' | 'line', value: unknown): string | undefined {
  const kind: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'kind') : undefined;
  const fit = { about, head, line: kinds.get(String(kind)) }[part]?.(value);
  if (fit === undefined) return 'a line is of no kind that there is';
  return 'value' in fit ? undefined : fit.misfit.sentence;
}
