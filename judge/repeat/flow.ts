import { isDeepStrictEqual } from 'node:util';
import { basePathOf } from '../../contract/address.ts';
import type { Sent } from '../client/wire.ts';
import type { Headers } from '../exchange.ts';
import { piecesOf as piecesOfForm } from '../files/bodies.ts';
import { isObject, jsonOf, pointer, valueAt } from '../json.ts';
import { decodeSegment } from '../service/requests.ts';
import { checksumOf, signatureOver } from '../service/signature.ts';
import { withoutEchoes } from '../case/trace.ts';
import { type Kind, kindOf } from './kind.ts';
import { piecesOf, type Told } from './lines.ts';
import type { Capture } from './repetition.ts';
import { cut, cutFurther, fill, type Template } from './template.ts';

export type BodyTemplate = { readonly template: Template } | { readonly bytes: Uint8Array };

/** A recorded request with variables in the place of what earlier answers told. */
export interface Step {
  readonly kind: Kind;
  readonly sent: Sent;
  readonly told: Told | undefined;
  readonly url: Template;
  readonly headers: readonly (readonly [string, Template])[];
  readonly body: readonly BodyTemplate[];
  /** Grows as later requests turn out to need values. */
  readonly captures: Capture[];
}

/** What is known before the first request. */
export interface Ground {
  readonly baseUrl: string;
  /** What variables are where the script is made. */
  readonly values: Readonly<Record<string, string>>;
  /** What is another text in each play, with the variable for it. */
  readonly variables: readonly Named[];
  /** Whether the suite plays the service. */
  readonly isHost: boolean;
  /** Texts of the profile: what stands there is no news. */
  readonly known: string;
}

export type Named = readonly [pattern: RegExp, variable: string];

type Place = Omit<Capture, 'variable'>;

interface Origin {
  readonly step: number;
  readonly from: Place;
}

/** Where a text of a request stands. */
interface Asked {
  readonly at: number;
  readonly url: string;
  /** Of the answer. */
  readonly status: number | undefined;
  readonly kin: Kin;
  /** Id of the link that is followed. */
  readonly link?: string | undefined;
}

/** Answers that told what no other told of what a request holds: of what several told, theirs belongs to it. */
type Kin = ReadonlySet<number>;

interface Link extends Origin {
  /** What an address of that kind lacks in front. */
  readonly front: Template;
  /** The case may have made the address by itself. */
  readonly isMadeAsWell?: true;
}

export const baseVariable = 'BASE_URL';
/** The same without its scheme, as relative references tell it. */
export const hostVariable = 'BASE_HOST';
export const markVariable = 'MARK';
export const listenerVariable = 'LISTENER_URL';

const shortestId = 4;
/** Values between what separates them in paths, JSON and headers. */
const words = /[^\s"'\\/?&=#,;<>(){}[\]]+/g;
/** What may be a key in Base64, in which slashes separate nothing. */
const keyWords = /(?<![\w+/])[\w+/]{40,}={0,2}(?![\w+/=])/g;
const versionHeader = /version$/i;
const conditional = /^if-(?:none-)?match$/i;
/** The id of an entry in the path of an operation; the first group is the array. */
const entryInPath = /(?<="(?:path|from)":"(?:\/[^"/]+)*?\/([^"/]+)\/)\d+(?=[/"])/g;
/** Headers in whose answers ids and links stand. */
const telling = /^(?:location|content-location|link|etag|x-|svc-)/;

/** Where the values of a history come from: what an answer told first is caught from it. */
export class Flow {
  readonly steps: readonly Step[];
  readonly #ground: Ground;
  readonly #chosen: Set<string>;
  /** Of each word, everywhere it was told before it was asked for. */
  readonly #origins = new Map<string, readonly Origin[]>();
  /** Addresses that answers told, as they would be asked for. */
  readonly #links = new Map<string, readonly Link[]>();
  /** Where those were told last that had been asked for before: only the request just behind it follows it. */
  readonly #toldAgain = new Map<string, Link>();
  /** What calls of the service told of addresses that are to be completed. */
  readonly #stems = new Map<string, readonly Link[]>();
  /** Addresses of pages, as links tell them. */
  readonly #templates: (Link & { readonly url: string })[] = [];
  /** What one call told in several places, each with the id of its link. */
  readonly #toldTwice = new Map<string, ReadonlyMap<string, Link>>();
  /** Whether a request follows one of several links of a call that are the same, or one that it may not follow at all: it is not known which. */
  isUnclear = false;
  readonly #asked = new Set<string>();
  /** Among them ids that no answer told, made of one by a letter: each play asks for another one, as a service may have made it by then. */
  readonly #variables: Named[];
  readonly #counts = new Map<string, number>();
  readonly #steps: Step[] = [];

  constructor(history: readonly Sent[], ground: Ground) {
    this.#ground = ground;
    this.#chosen = new Set(ground.known.match(words));
    this.#variables = [...ground.variables];
    for (const sent of history) this.#add(sent);
    this.steps = this.#steps;
  }

  /** A text with variables for what is known of it after `step` requests. */
  template(text: string, step: number, kin?: Kin): Template {
    let template: Template = [{ text }];
    for (const [pattern, variable] of this.#variables)
      template = cutFurther(template, (part) => cut(part, pattern, () => variable));
    for (const pattern of [keyWords, words])
      template = cutFurther(template, (part) => cut(part, pattern, (word) => this.#variableFor(word, step, kin)));
    return template;
  }

  /** Whether a text holds an id that no request and no profile names, and no variable stands for: the next play has another one. */
  isOfOnce(template: Template): boolean {
    const ids = template.flatMap((piece) => ('text' in piece ? (piece.text.match(uuids) ?? []) : []));
    return ids.some((id) => !this.#chosen.has(id));
  }

  /** Whether a request holds an id with letters of it percent-encoded, for which no variable can stand. */
  encodesIdAt(step: number): boolean {
    const texts = this.#steps[step]?.url.flatMap((piece) => ('text' in piece ? (piece.text.match(words) ?? []) : []));
    return (texts ?? []).some((word) => {
      const told = word.includes('%') && this.#origins.get(decodeSegment(word));
      return told !== undefined && told !== false && told.some((origin) => origin.step < step);
    });
  }

  /** A request behind all that are known. */
  stepFor(sent: Sent): Step {
    const at = this.#steps.length;
    const { url, headers, body } = sent.request;
    const kind = kindOf(sent.request);
    const status = sent.exchange.response?.status;
    const asked: Asked = { at, url, status, kin: this.#kinOf(sent.request), link: sent.request.link };
    // what lets time pass is where the profile says
    const link = kind === 'pass' ? undefined : this.#link(asked);
    return {
      kind,
      sent,
      told: toldBy(sent),
      url: link ?? this.template(url, at, asked.kin),
      headers: headers.map(([name, value]) => [name, this.#headerTemplate(name, value, asked)]),
      body: body === undefined ? [] : this.#bodyTemplates(body, asked, headers),
      captures: [],
    };
  }

  #add(sent: Sent): void {
    const at = this.#steps.length;
    const { url, headers, body } = sent.request;
    for (const text of [url, ...textsOfBody(body)]) for (const id of text.match(uuids) ?? []) this.#noteAltered(id);
    this.#steps.push(this.stepFor(sent));
    this.#asked.add(url);
    for (const text of [url, ...headers.map(([, value]) => value), ...textsOfBody(body)])
      for (const word of text.match(words) ?? []) this.#chosen.add(word);
    this.#learn(at);
  }

  #noteAltered(id: string): void {
    if (this.#origins.has(id) || this.#chosen.has(id)) return;
    if ([...this.#origins.keys()].some((told) => isAlike(told, id)))
      this.#variables.push([beginningOf(id), markVariable]);
  }

  #headerTemplate(name: string, value: string, asked: Asked): Template {
    const variable = versionHeader.test(name) || conditional.test(name) ? this.#version(name, value, asked) : undefined;
    if (variable !== undefined) return [{ variable }];
    return this.#signed(value, asked) ?? this.template(value, asked.at, asked.kin);
  }

  /** What is signed under a key that an answer told, or a call. */
  #signed(value: string, { at, url }: Asked): Template | undefined {
    const [, scheme = '', signature = ''] = /^(Bearer )([\w-]{86})$/i.exec(value) ?? [];
    if (signature === '') return undefined;
    const { pathname } = new URL(url);
    const paths = [pathname, pathname.slice(basePathOf(this.#ground.baseUrl).length)];
    for (const [key, [origin]] of this.#origins) {
      const signed = isKey(key) ? paths.find((path) => signatureOver(key, path) === signature) : undefined;
      if (signed !== undefined && origin !== undefined && origin.step < at)
        return [{ text: scheme }, { signed, under: this.#capture('ID', origin) }];
    }
    return undefined;
  }

  #version(name: string, value: string, asked: Asked): string | undefined {
    const names = [name.toLowerCase(), ...(conditional.test(name) ? ['etag'] : [])];
    const place = ({ headers }: Told): Place | undefined => {
      const [header] = headers.find(([other, text]) => text === value && names.includes(other.toLowerCase())) ?? [];
      return header === undefined ? undefined : { header: header.toLowerCase() };
    };
    // what has changed since may have a tag of before
    return this.#captureLast('VERSION', asked, place, asked.status === 304 ? 'first' : 'last');
  }

  #bodyTemplates(body: Uint8Array, asked: Asked, headers: Headers): readonly BodyTemplate[] {
    const parts = piecesOfForm(body) ?? [body];
    const told = [...headers.map(([, value]) => value), ...(parts.length > 1 ? textsOfBody(body) : [])];
    return parts.map((bytes) => {
      const text = textOf(bytes);
      // what a checksum is over stays as it was
      if (text === undefined || told.some((one) => one.includes(checksumOf(bytes)))) return { bytes };
      const named = cut(text, entryInPath, (id, [, array = '']) => this.#entry(id, array, asked));
      return { template: cutFurther(named, (part) => this.template(part, asked.at, asked.kin)) };
    });
  }

  #entry(id: string, array: string, asked: Asked): string | undefined {
    return this.#captureLast('ENTRY', asked, ({ text }, url) => {
      const isArray = url.includes(`/${array}/`);
      const [pointer] =
        [...scalarsOf(jsonOf(text))].find(
          ([member, value]) =>
            String(value) === id && member.endsWith('/$entryId') && (isArray || member.split('/').at(-3) === array),
        ) ?? [];
      return pointer === undefined ? undefined : { pointer };
    });
  }

  /** Versions and ids of entries are small numbers, and mean that of the last answer about the same object that told it. */
  #captureLast(
    kind: string,
    { at, url }: Asked,
    placeIn: (told: Told, url: string) => Place | undefined,
    which: 'first' | 'last' = 'last',
  ): string | undefined {
    const ids = (url.match(words) ?? []).filter((word) => this.#origins.has(word));
    const origins = this.#steps.slice(0, at).flatMap(({ told, sent: { request } }, step): readonly Origin[] => {
      const from = told && placeIn(told, request.url);
      if (told === undefined || from === undefined) return [];
      const texts = [request.url, told.text, ...told.headers.map(([, value]) => value)];
      return ids.length === 0 || texts.some((text) => ids.some((id) => text.includes(id))) ? [{ step, from }] : [];
    });
    const origin =
      which === 'last' ? origins.at(-1) : (origins.find(({ step }) => this.#isAnswerTo(url, step)) ?? origins.at(-1));
    return origin && this.#capture(kind, origin);
  }

  #isAnswerTo(url: string, step: number): boolean {
    return this.#steps[step]?.sent.request.url === url;
  }

  #learn(at: number): void {
    const { told, kind } = this.#steps[at] ?? {};
    // the names of files are what shows something, and never what is asked for by them
    if (told === undefined || kind === 'look') return;
    for (const [name, value] of told.headers)
      if (telling.test(name.toLowerCase())) this.#learnValue(value, at, { header: name.toLowerCase() });
    for (const [place, value] of scalarsOf(jsonOf(told.text))) this.#learnValue(String(value), at, { pointer: place });
  }

  /** An address that an answer told is followed as it stands there. */
  #link({ url, at, kin, link: id = '' }: Asked): Template | undefined {
    const again = this.#toldAgain.get(url);
    const alike = this.#toldTwice.get(url);
    const meant = alike?.get(id);
    if (meant !== undefined && meant.step < at) return this.#followed(meant);
    this.isUnclear ||= alike !== undefined;
    const origin = again?.step === at - 1 ? again : ofKin(this.#links.get(url), kin);
    if (origin !== undefined && origin.step < at) {
      this.isUnclear ||= origin.isMadeAsWell === true;
      return this.#followed(origin);
    }
    const page = this.#pageAt(url);
    if (page !== undefined) return this.#followed(page);
    const [stem, links] = this.#stemOf(url) ?? [];
    const link = ofKin(links, kin);
    return stem === undefined || link === undefined
      ? undefined
      : [...this.#followed(link), ...this.template(url.slice(stem.length), at, kin)];
  }

  /** Whether the case may make an address by itself that leads away from what was asked for where it is told: a right service tells another one there. */
  #isMadeAsWell(url: string, step: number): boolean {
    const { sent: { request } = {}, told } = this.#steps[step] ?? {};
    if (request === undefined || told?.status !== 201) return false;
    const there = new Set([request.url, ...textsOfBody(request.body)].flatMap((text) => text.match(words) ?? []));
    const named = url.match(words) ?? [];
    return named.every((word) => this.#chosen.has(word)) && !named.every((word) => there.has(word));
  }

  #kinOf({ url, headers, body }: Sent['request']): Kin {
    const texts = [url, ...headers.map(([, value]) => value), ...textsOfBody(body)];
    const told = texts.flatMap((text) => text.match(words) ?? []).map((word) => this.#origins.get(word) ?? []);
    return new Set(told.flatMap(([origin, ...more]) => (origin === undefined || more.length > 0 ? [] : origin.step)));
  }

  /** The link of which the address is a page. */
  #pageAt(url: string): Link | undefined {
    for (const { url: template, ...link } of this.#templates) {
      const [before = '', behind = ''] = template.split(/\{[^}]*\}/);
      const filled = url.slice(before.length, url.length - behind.length);
      const isPage = /^\d{1,3}$/.test(filled) && !this.#origins.has(filled) && url === before + filled + behind;
      if (isPage) return { ...link, from: { ...link.from, filled } };
    }
    return undefined;
  }

  #followed(origin: Link): Template {
    const variable = this.#capture('LINK', origin);
    return [...origin.front, { variable }];
  }

  /** The longest one that the address begins with. */
  #stemOf(url: string): readonly [string, readonly Link[]] | undefined {
    return [...this.#stems]
      .map(([stem, links]) => {
        const isEnded = /^[/?]/.test(url.slice(stem.length));
        return [stem, url.startsWith(stem) ? links.filter(({ from }) => from.stem === true || isEnded) : []] as const;
      })
      .filter(([, links]) => links.length > 0)
      .toSorted(([one], [other]) => other.length - one.length)[0];
  }

  /** Undefined where a text is no address. */
  #frontOf(value: string): Template | undefined {
    if (/^https?:/i.test(value)) return [];
    if (value.startsWith('//')) return [{ text: this.#ground.baseUrl.split('//', 1)[0] ?? '' }];
    return value.startsWith('/') ? [{ variable: baseVariable }] : undefined;
  }

  #learnLink(value: string, step: number, from: Place): void {
    const { baseUrl, isHost } = this.#ground;
    const front = this.#frontOf(value);
    // where a host is called is its own to choose, once and for all
    if (front === undefined || isHost) return;
    const url = fill([...front, { text: value }], new Map([[baseVariable, baseUrl]])) ?? '';
    if (!url.startsWith(baseUrl) || url === baseUrl) return;
    if (this.#steps[step]?.kind !== 'call' && /^[^{]*\{\w+\}[^{]*$/.test(url))
      this.#templates.push({ step, from, front, url });
    if (this.#steps[step]?.kind === 'call') {
      const [stem = '', ...more] = url.split('{', 2);
      const part = more.length > 0 ? { ...from, stem: true as const } : from;
      const [before] = this.#links.get(url)?.slice(-1) ?? [];
      if (before?.step === step) {
        const alike = this.#toldTwice.get(url) ?? new Map([[this.#linkIdAt(before), before]]);
        this.#toldTwice.set(url, new Map([...alike, [this.#linkIdAt({ step, from }), { step, from, front }]]));
      }
      addOrigin(this.#stems, stem, { step, from: part, front });
    }
    const link: Link = {
      step,
      from,
      front,
      ...(from.header === 'location' && this.#isMadeAsWell(url, step) && { isMadeAsWell: true }),
    };
    if (!this.#asked.has(url)) addOrigin(this.#links, url, link);
    else if (this.#toldAgain.get(url)?.step !== step) this.#toldAgain.set(url, link);
  }

  /** Of the link whose address stands there. */
  #linkIdAt({ step, from: { pointer = '' } }: Origin): string {
    const id = valueAt(jsonOf(this.#steps[step]?.told?.text ?? ''), `${pointer.slice(0, pointer.lastIndexOf('/'))}/id`);
    return typeof id === 'string' ? id : '';
  }

  #learnValue(value: string, step: number, from: Place): void {
    this.#learnLink(value, step, from);
    if (isKey(value)) addOrigin(this.#origins, value, { step, from });
    const pieces = piecesOf(value);
    for (const [index, piece] of pieces.entries()) {
      if (!isTelling(piece) || this.#chosen.has(piece)) continue;
      const place = pieces.length === 1 ? from : { ...from, piece: pieces.length - index };
      addOrigin(this.#origins, piece, { step, from: place });
    }
  }

  #variableFor(word: string, step: number, kin?: Kin): string | undefined {
    // what stands for a number of a page is no name of anything, however it is spelled
    if (/%7b/i.test(word)) return undefined;
    const origin = ofKin(this.#origins.get(word), kin);
    if (origin === undefined || origin.step >= step) return undefined;
    return this.#capture('ID', origin);
  }

  #capture(kind: string, origin: Origin): string {
    const captures: Capture[] = this.#steps[origin.step]?.captures ?? [];
    const known = captures.find(({ variable: _variable, ...from }) => isDeepStrictEqual(from, origin.from));
    if (known !== undefined) return known.variable;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const variable = `${kind}${count}`;
    captures.push({ variable, ...origin.from });
    return variable;
  }
}

/** The one told with what else the request holds, else the first. */
function ofKin<T extends Origin>(origins: readonly T[] = [], kin?: Kin): T | undefined {
  return origins.find(({ step }) => kin?.has(step)) ?? origins[0];
}

/** Of one answer, its first place. */
function addOrigin<T extends Origin>(origins: Map<string, readonly T[]>, text: string, origin: T): void {
  const known = origins.get(text) ?? [];
  if (known.at(-1)?.step !== origin.step) origins.set(text, [...known, origin]);
}

const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** Whether one letter is another. */
function isAlike(one: string, other: string): boolean {
  return one.length === other.length && [...one].filter((letter, index) => letter !== other[index]).length === 1;
}

/** What a mark fits in the place of. */
export function beginningOf(id: string): RegExp {
  return new RegExp(`${id.slice(0, 8)}(?=${id.slice(8)})`, 'g');
}

function isKey(value: string): boolean {
  return value.length >= 40 && /\d/.test(value) && Buffer.from(value, 'base64').toString('base64') === value;
}

/** Whether a word is likely to be an id: everything else is more likely to be a word of the service. */
function isTelling(piece: string): boolean {
  return piece.length >= shortestId && /\d/.test(piece) && piece.match(words)?.[0] === piece;
}

function toldBy({ request, exchange }: Sent): Told | undefined {
  const { response } = exchange;
  return response === undefined
    ? undefined
    : { status: response.status, headers: withoutEchoes(response.headers, request), text: response.body };
}

function textOf(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

function textsOfBody(body: Uint8Array | undefined): readonly string[] {
  if (body === undefined || body.byteLength > 262_144) return [];
  return [textOf(body) ?? ''];
}

/** Every text and number of a JSON value, with its place. */
export function* scalarsOf(value: unknown, place = ''): Generator<readonly [string, string | number]> {
  if (typeof value === 'string' || typeof value === 'number') yield [place, value];
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* scalarsOf(item, place + pointer(index));
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) yield* scalarsOf(member, place + pointer(name));
}
