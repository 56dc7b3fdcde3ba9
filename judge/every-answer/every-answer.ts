import { type CoveredRoute, coveredRoutes } from '../../contract/coverage/routes.ts';
import { entryIdOf, judgeRead, pagesOf } from '../../contract/judge-read.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { headerNames, mediaTypes, pageNumberTemplate } from '../../contract/names.ts';
import type { Profile } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import { type Place, RouteFinder } from '../coverage/route-finder.ts';
import { type Reply, type RequestSpec, statedHeader } from '../exchange.ts';
import { comparableId, isSameId } from '../service/guid.ts';
import { isObject, memberIn, objectsIn } from '../json.ts';
import { KnownObjects, KnownTags, type KnownWrite, madeTexts } from '../service/known-objects.ts';
import { describedMembers, describedPart } from './other-reader.ts';
import { OwnedTexts } from './owned-texts.ts';
import { addressBehind, decodeSegment } from '../service/requests.ts';
import { mayReaderWrite, writingMethods } from '../service/roles.ts';
import { softTypesOf } from '../service/soft-types.ts';

/** An answer that cannot be right, whatever was done before. */
export interface WrongAnswer {
  readonly reply: Reply;
  /** Rule, or part of the run, on whose behalf the request was sent. */
  readonly sentBy: string;
  /** The rule that has the sentence. */
  readonly rule: RuleId;
  /** In words: `totalNumber of a page link`. */
  readonly what: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** A request whose connection ended instead of an answer each time that its case ran. */
interface Unanswered {
  readonly spec: RequestSpec;
  readonly sentBy: RuleId;
}

type See = (rule: RuleId, what: string, actual: unknown, expected: unknown) => void;

/** How a read was asked for. */
interface Asked extends Pick<RequestSpec, 'as'> {
  /** Whether with the usual filter. */
  readonly isPlain: boolean;
}

/** A version that an object was seen to have. */
interface Seen {
  readonly version: number;
  /** When the answer was there, in ms from the start of the run. */
  readonly at: number;
}

const readRoutes: ReadonlySet<string> = new Set<Place['route']>(['instanceShort', 'instanceLong', 'page']);

/** Those behind are only counted. */
const mostKept = 100;

/** Rules of the code of a success, by route; routes that are not here may answer with any. */
const successOf = {
  create: 'reading.create.status-201',
  merge: 'patch.merge.status-204',
  promote: 'maturity.promote.status-204',
  batch: 'batch.success.status-200',
} as const satisfies Partial<Record<Place['route'], RuleId>>;

/** Rules of the version that an edit tells, by route. */
const versionRules: Partial<Record<Place['route'], RuleId>> = {
  merge: 'headers.uoi-version.on-merge',
  operations: 'headers.uoi-version.on-operations',
  put: 'headers.uoi-version.on-put',
  promote: 'maturity.promote.version-plus-one',
  demote: 'maturity.demote.version-plus-one',
};

/** Rules of the refusal of those who may read nothing, whose answers show none of what others wrote. */
const shutOut: ReadonlyMap<RequestSpec['as'], { readonly statuses: readonly number[]; readonly rule: RuleId }> =
  new Map([
    [null, { statuses: [401], rule: 'auth.missing-token.answers-401' }],
    ['noRole', { statuses: [403, 404], rule: 'auth.role.no-role-403' }],
    ['outsider', { statuses: [403, 404], rule: 'auth.role.outsider-403' }],
  ] as const);

/** So many values are looked at for such texts, and texts of so many characters. */
const [mostLooked, longestLooked] = [2000, 64 * 1024];

const kindsOfWrites: Partial<Record<Place['route'], KnownWrite['kind']>> = {
  create: 'create',
  merge: 'merge',
  put: 'put',
  operations: 'operations',
  promote: 'move',
  demote: 'move',
};

/**
 * Looks at every answer of a run by itself, and at the versions that answers about one object tell one after the other, whatever their case
 * asked for: what a rule tries in one place holds in all.
 */
export class EveryAnswer {
  readonly wrong: WrongAnswer[] = [];
  readonly unanswered: Unanswered[] = [];
  count = 0;
  /** Answers that were looked at. */
  judged = 0;
  readonly #routes: RouteFinder;
  /** Members of objects that are arrays of entries. */
  readonly #arrays: ReadonlySet<string>;
  readonly #versions = new Map<string, Seen[]>();
  readonly #known: KnownObjects;
  readonly #tags = new KnownTags();
  readonly #written = new OwnedTexts();
  readonly #described: ReadonlySet<string>;
  /** By which the members of the profile are written. */
  readonly #inputSchemas: ReadonlySet<string>;

  /** Whether the reader is one who may not write. */
  readonly #isReaderBarred: boolean;

  constructor(profile: Profile) {
    this.#isReaderBarred = !mayReaderWrite(profile);
    this.#routes = new RouteFinder(profile);
    this.#known = new KnownObjects(profile);
    this.#described = describedMembers(profile);
    this.#inputSchemas = new Set(softTypesOf(profile).map(({ inputSchemaId }) => inputSchemaId));
    this.#arrays = new Set(
      softTypesOf(profile).flatMap(({ arrayPort, secondArrayPort }) =>
        [arrayPort, secondArrayPort].flatMap((port) => (port === undefined ? [] : [port.member])),
      ),
    );
  }

  note(spec: RequestSpec, reply: Reply, sentBy: string): void {
    const see: See = (rule, what, actual, expected) => {
      if (actual !== expected) this.#keep({ reply, sentBy, rule, what, expected, actual });
    };
    const isFailedBatch = reply.status === 500 && isListOfResults(reply.json);
    this.#seeNothingShown(see, spec, reply);
    if (!isFailedBatch && (reply.status < 200 || reply.status > 299)) return;
    const place = this.#routes.find(spec.method, reply.url);
    // the documents speak of tags of other data alone
    if (!readRoutes.has(place?.route ?? ''))
      see(
        'caching.changed.status-200',
        'whether the ETag is that of other data, read before',
        this.#tags.isOfFormerData(spec, reply),
        false,
      );
    if (place === undefined || (isFailedBatch && place.route !== 'batch')) return;
    this.judged += 1;
    if (spec.body !== undefined && !shutOut.has(spec.as))
      this.#written.written(madeTextsIn(spec.body), this.#writtenInto(place, reply));
    if (isFailedBatch) return seeLength(see, spec, reply);
    if (isOfUsualType(spec)) seeSuccess(see, place, reply);
    // as most reads of the run are made, with the usual filter
    const isPlain = spec.filter === undefined && !hasFilter(spec);
    if (place.route === 'batch') return this.#seeBatch(see, spec, reply, isPlain);
    if (place.route === 'create') seeCreate(see, reply);
    else if (place.route in versionRules) this.#seeEdit(see, place, spec, reply);
    else if (readRoutes.has(place.route)) this.#seeRead(see, place, reply, { isPlain, as: spec.as });
    const { location } = reply.headers;
    const href = location === undefined ? undefined : addressBehind(location, reply.url)?.href;
    this.#learnWrite(place, spec, { version: versionTold(reply), href });
  }

  noteLost(spec: RequestSpec | undefined, sentBy: RuleId): void {
    if (spec !== undefined && this.unanswered.length < mostKept) this.unanswered.push({ spec, sentBy });
  }

  /** Whether it is a read of an object or of a page that was answered. */
  isRead({ method }: RequestSpec, { status, url }: Reply): boolean {
    return status === 200 && readRoutes.has(this.#routes.find(method, url)?.route ?? '');
  }

  /** Two answers to one read, asked for by two users. */
  noteAgain(spec: RequestSpec, first: Reply, second: Reply, sentBy: string): void {
    if (second.status !== 200 || versionIn(first.json) !== versionIn(second.json)) return;
    const [one, other] = [first, second].map(({ json }) =>
      JSON.stringify(describedPart(memberIn(json, 'data'), this.#described)),
    );
    if (one === other) return;
    this.#keep({
      reply: second,
      sentBy,
      rule: 'versioning.history.matches-model',
      what: `data that the ${String(spec.as)} reads too`,
      expected: one,
      actual: other,
    });
  }

  /** Who may not read an object is not shown in the refusal what it holds. Source: core, Authentication 6 and 7 */
  #seeNothingShown(see: See, spec: RequestSpec, reply: Reply): void {
    const shut = shutOut.get(spec.as);
    if (!shut?.statuses.includes(reply.status)) return;
    const sent = new Set(madeTextsIn([spec.url, spec.headers, spec.body]));
    const shown = madeTextsIn(reply.text).find((text) => this.#written.has(text) && !sent.has(text));
    see(shut.rule, `text of an object in a ${reply.status}`, shown, undefined);
  }

  #keep(wrong: WrongAnswer): void {
    this.count += 1;
    if (this.wrong.length < mostKept) this.wrong.push(wrong);
  }

  #seeBatch(see: See, spec: RequestSpec, reply: Reply, isPlain: boolean): void {
    const { body } = spec;
    if (!Array.isArray(body)) return;
    seeLength(see, spec, reply);
    const results: readonly unknown[] = Array.isArray(reply.json) ? reply.json : [];
    const failed = objectsIn(results).find(({ statusCode }) => Number(statusCode) >= 400)?.['statusCode'];
    see('batch.failure.status-500', `statusCode of an operation of a batch with ${reply.status}`, failed, undefined);
    for (const [index, result] of results.entries()) {
      const operation: Partial<RequestSpec> & { readonly href?: unknown } = Object(body[index]);
      const place = this.#routes.find(String(operation.method), String(operation.href));
      if (!isObject(result) || place === undefined) continue;
      const { statusCode, body: told = {} } = result;
      const [right] = successesOf(place);
      // a read with a tag may say that nothing has changed
      if (right !== undefined && statusCode !== 304 && isOfUsualType(operation))
        see('batch.result.status-code-is-integer', `statusCode of ${place.route} in a batch`, statusCode, right);
      this.#seeInstance(see, { status: 200, json: told }, { isPlain, as: spec.as });
      if (isPlain && !hasFilter({ headers: operation.headers ?? {}, url: String(operation.href) }))
        this.#seeKnown(see, place, { json: told });
      const { version, href: made } = isObject(told) ? told : {};
      if (Number(statusCode) < 300) this.#learnWrite(place, operation, { version, href: made });
      if (place.route === 'create')
        see('batch.result.create-href', 'kind of body.href of a create in a batch', typeof made, 'string');
      if (place.route === 'create' || place.route in versionRules)
        see(
          'batch.result.version-in-body',
          `whether body.version of ${place.route} in a batch is an integer`,
          Number.isInteger(version),
          true,
        );
    }
  }

  #seeRead(see: See, place: Place, reply: Reply, asked: Asked): void {
    const isPage = place.route === 'page';
    this.#seeOwnTexts(see, place, reply);
    if (isPage) seePage(see, reply, asked.isPlain);
    else this.#seeInstance(see, reply, asked, place.objectId);
    if (!asked.isPlain) return;
    this.#seeVersion(see, place, versionIn(reply.json), reply);
    if (!isPage) this.#seeKnown(see, place, reply);
  }

  /** Whatever filter shapes it, what an array shows was written into its object. An entry that is a reference shows more than itself. */
  #seeOwnTexts(see: See, { objectId }: Place, { json }: Reply): void {
    const data = memberIn(json, 'data');
    if (objectId === undefined || data === undefined) return;
    const arrays = Array.isArray(data) ? [data] : [...this.#arrays].map((member) => memberIn(data, member));
    const isReference = (entry: Readonly<Record<string, unknown>>): boolean =>
      '$oid' in entry || Object.values(entry).some(isObject);
    for (const entry of arrays.flatMap(objectsIn).filter((one) => !isReference(one))) {
      const texts = madeTextsIn(Object.values(entry).filter((value) => typeof value === 'string'));
      const strange = this.#written.ofAnother(texts, idOf(objectId));
      see('versioning.history.matches-model', 'text of another object in an entry', strange, undefined);
    }
  }

  /** The object that a write by itself is about. */
  #writtenInto({ route, objectId }: Place, { headers: { location } }: Reply): string | undefined {
    const id = route === 'create' ? this.#routes.find('GET', location ?? '')?.objectId : objectId;
    return id === undefined ? undefined : idOf(id);
  }

  #seeInstance(see: See, answer: Pick<Reply, 'status' | 'json'>, { isPlain, as }: Asked, objectId?: string): void {
    const { json } = answer;
    if (!isObject(json) || !isObject(json['data']) || json['data']['$oid'] === undefined) return;
    const { data } = json;
    const shown = String(data['$oid']);
    const asked = objectId === undefined ? shown : decodeSegment(objectId);
    const oid = isSameId(asked, shown) ? shown : asked;
    for (const { holds, rule, what, actual, expected } of judgeRead({ instance: answer }, { oid, envelope: true }))
      if (!holds) see(rule, what, JSON.stringify(actual), JSON.stringify(expected));
    see('reading.body.href-leads-back', 'kind of href of a read', typeof json['href'], 'string');
    if (isPlain)
      see('reading.system.soft-type-names-definition', 'kind of $softType', typeof data['$softType'], 'string');
    for (const member of this.#arrays) seeArray(see, member, data[member], isPlain);
    const links = objectsIn(json['links']);
    for (const link of links.filter(({ rel }) => rel === 'page')) seePageLink(see, link);
    // others may have any role
    if (as === 'reader' && this.#isReaderBarred)
      for (const { method, href } of links)
        if (writingMethods.has(String(method)))
          see(
            'hypermedia.reader.sees-no-write-links',
            `a link that the reader sees`,
            `${String(method)} ${String(href)}`,
            '',
          );
  }

  #seeKnown(see: See, { route, objectId, outputSchemaId = '' }: Place, { json }: Pick<Reply, 'json'>): void {
    const version = versionIn(json);
    const data = memberIn(json, 'data');
    if (objectId === undefined || version === undefined || !isObject(data)) return;
    const way = `${route} ${outputSchemaId} ${String(data['$softType'])}`;
    for (const { member, expected, actual } of this.#known.read(idOf(objectId), version, data, way))
      see('versioning.history.matches-model', `${member} of version ${version}`, actual, expected);
  }

  #learnWrite(place: Place, { method, headers, version: sent, body }: Partial<RequestSpec>, told: Told): void {
    const kind = kindsOfWrites[place.route];
    const { version, href } = told;
    const made = typeof href === 'string' ? this.#routes.find('GET', href)?.objectId : undefined;
    const id = kind === 'create' ? made : place.objectId;
    if (id === undefined) return;
    if (method === 'DELETE') this.#forget(idOf(id));
    if (kind === undefined || typeof version !== 'number') return;
    // what changed nothing has no version of its own, and a demote need not raise it
    if (String(sent ?? statedHeader(headers, headerNames.version) ?? '') === String(version)) {
      if (place.route === 'demote') this.#known.forgetStates(idOf(id));
      return;
    }
    const isOfUsualSchema = this.#inputSchemas.has(decodeSegment(place.inputSchemaId ?? ''));
    this.#known.written(idOf(id), version, { kind, isOfUsualSchema, body });
  }

  /** What is made again where an object was deleted begins anew. */
  #forget(id: string): void {
    this.#known.forget(id);
    this.#versions.delete(id);
  }

  /** What is asked later shows no older version. Source: core, Versioning */
  #seeVersion(see: See, { objectId }: Place, version: number | undefined, { exchange }: Reply): void {
    if (objectId === undefined || version === undefined) return;
    const id = idOf(objectId);
    const seen = this.#versions.get(id) ?? [];
    this.#versions.set(id, seen);
    const before = Math.max(0, ...seen.filter(({ at }) => at < exchange.sentAt).map((one) => one.version));
    see('versioning.sequence.matches-model', 'a version below one that was seen before', version < before, false);
    if (seen.every((one) => one.version < version)) seen.push({ version, at: exchange.sentAt + exchange.durationMs });
  }

  #seeEdit(see: See, place: Place, { version }: RequestSpec, reply: Reply): void {
    const text = reply.headers[headerNames.version.toLowerCase()];
    const rule = versionRules[place.route];
    if (text === undefined || rule === undefined) return;
    const told = versionTold(reply);
    // an edit that changes nothing may leave the version (ledger no-op-version)
    if (typeof version === 'number' && told !== version + 1 && told !== version)
      see(rule, `version told by an edit at version ${version}`, text, String(version + 1));
    this.#seeVersion(see, place, told, reply);
  }
}

function seeSuccess(see: See, { route }: Place, { status }: Reply): void {
  const rule = route in successOf ? successOf[route as keyof typeof successOf] : undefined;
  if (rule === undefined) return;
  const [right] = successesOf({ route });
  see(rule, `status of a success on ${coveredRoutes[route].method} ${route}`, status, right);
}

/** Codes of a success on a route, as far as the documents show them. */
function successesOf({ route }: Pick<Place, 'route'>): readonly number[] {
  const { statuses }: CoveredRoute = coveredRoutes[route];
  return statuses.flatMap((one) => (typeof one === 'number' && one < 300 ? [one] : []));
}

function seeCreate(see: See, { headers }: Reply): void {
  see('headers.location.on-create', 'whether a create has a Location', (headers['location'] ?? '') !== '', true);
  const version = headers[headerNames.version.toLowerCase()] ?? 'none';
  see('headers.uoi-version.on-create', `whether ${version} is the version of a create`, /^\d+$/.test(version), true);
}

/** Of a batch that passed, or failed with a list of results. */
function seeLength(see: See, { body }: RequestSpec, { status, json }: Reply): void {
  if (!Array.isArray(body)) return;
  const { length } = Array.isArray(json) ? json : [];
  see('batch.result.one-per-operation', `results of a batch of ${body.length} with ${status}`, length, body.length);
}

/** A list of anything else may tell why the request is refused as a whole. */
function isListOfResults(json: unknown): boolean {
  return Array.isArray(json) && json.every((one: unknown) => isObject(one) && Number.isInteger(one['statusCode']));
}

function seePage(see: See, { json }: Reply, isPlain: boolean): void {
  if (!isObject(json)) return;
  see('paging.page-body.data-is-array', 'whether data of a page is an array', Array.isArray(json['data']), true);
  if (!Array.isArray(json['data'])) return;
  see('paging.page-body.href-leads-back', 'kind of href of a page', typeof json['href'], 'string');
  see('paging.page-body.version-of-owner', 'whether version is an integer', Number.isInteger(json['version']), true);
  see('paging.page.holds-at-most-ten', 'entries beyond ten of a page', beyondTen(json['data']), 0);
  seeIds(see, 'a page', json['data'], isPlain);
}

function seeArray(see: See, member: string, value: unknown, isPlain: boolean): void {
  if (!Array.isArray(value) || !value.every(isObject)) return;
  see('paging.instance-read.every-array-limited', `entries beyond ten of ${member}`, beyondTen(value), 0);
  seeIds(see, member, value, isPlain);
  for (const entry of value)
    for (const inner of Object.values(entry))
      if (Array.isArray(inner) && inner.length > 0 && inner.every(isObject))
        seeIds(see, `${member} inside`, inner, isPlain);
}

/** @param isPlain whether no filter of its own may have left the ids out */
function seeIds(see: See, where: string, value: readonly unknown[], isPlain: boolean): void {
  const ids = value.map(entryIdOf).filter((id) => id !== '');
  if (isPlain)
    see('reading.entries.objects-carry-entry-id', `entries of ${where} with an id`, ids.length, value.length);
  see('reading.entries.ids-unique-in-array', `different ids in ${where}`, new Set(ids).size, ids.length);
}

function seePageLink(see: See, { href, method, pages, totalNumber }: Readonly<Record<string, unknown>>): void {
  const total = Number.isInteger(totalNumber) ? Number(totalNumber) : Number.NaN;
  see('paging.link.total-number', 'whether totalNumber of a page link is an integer', Number.isNaN(total), false);
  // a link of nothing may count the page that shows it
  if (total > 0) see('paging.link.pages-count', `pages of a page link of ${total} entries`, pages, pagesOf(total));
  const isTemplate = String(href).includes(pageNumberTemplate);
  see(
    'paging.link.href-holds-template',
    `whether ${pageNumberTemplate} is in the href of a page link`,
    isTemplate,
    true,
  );
  see('paging.link.method-is-get', 'method of a page link', method, 'GET');
}

function beyondTen(entries: readonly unknown[]): number {
  return Math.max(0, entries.length - entriesPerPage);
}

/** In the texts of a value, but for those of many or long ones: a case may send megabytes. */
function madeTextsIn(value: unknown): readonly string[] {
  const found: string[] = [];
  const left = [value];
  for (let looked = 0; left.length > 0 && looked < mostLooked; looked += 1) {
    const one = left.pop();
    if (typeof one === 'string' && one.length <= longestLooked) found.push(...(one.match(madeTexts) ?? []));
    if (typeof one === 'object' && one !== null && !(one instanceof Uint8Array))
      left.push(...Object.values(one).slice(0, mostLooked));
  }
  return found;
}

/** What the answer to a write tells of the object. */
interface Told {
  readonly version: unknown;
  readonly href: unknown;
}

function versionTold({ headers }: Reply): number | undefined {
  const text = headers[headerNames.version.toLowerCase()] ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** To be compared with others. @param segment of a path */
function idOf(segment: string): string {
  return comparableId(decodeSegment(segment)) ?? segment;
}

function versionIn(json: unknown): number | undefined {
  const version = memberIn(json, 'version');
  return Number.isInteger(version) ? Number(version) : undefined;
}

/** Whether the body is of the kind that its route takes: what comes of another one is not said. */
function isOfUsualType({ method, headers, body }: Partial<RequestSpec>): boolean {
  const type = statedHeader(headers, 'content-type');
  return (type === undefined || type === mediaTypes.json) && !(method === 'PATCH' && Array.isArray(body));
}

/** Whether a header of its own, or the address, names a filter. */
function hasFilter({ headers, url }: Pick<RequestSpec, 'headers' | 'url'>): boolean {
  return url.includes('?') || statedHeader(headers, headerNames.informationFilter) !== undefined;
}
