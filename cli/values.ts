import { withoutSlash } from '../contract/address.ts';
import { rulesFormerly } from '../contract/aliases.ts';
import { base64 } from '../contract/base64.ts';
import type { Segment } from '../simulator/traffic/engine.ts';
import { InvalidArgumentError } from 'commander';
import { resolve } from 'node:path';
import type { StoreChoice } from '../api/open-store.ts';
import { areas, type Area } from '../contract/areas.ts';
import { type ClassName, classNames } from '../contract/classes.ts';
import { permissionNames } from '../contract/names.ts';
import type { Level, RuleId } from '../contract/rule.ts';
import { nearNames, unknownName } from '../contract/spelling.ts';
import {
  reportFormats,
  cassetteFormats,
  shellNames,
  trafficReportFormats,
  type ReportRequest,
  type StageOption,
  type TrafficReportRequest,
} from './options.ts';
import { listedRules } from './rule-list.ts';

const mostNear = 3;

export const levels: readonly Level[] = ['must', 'should', 'observe'];

/** Reads a whole number of that range, both ends included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}, found "${text}".`);
  };
}

/** Reads a time as 90s, 20m or 2h, in seconds. */
export function duration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(s|m|h)$/.exec(text) ?? [];
  const seconds = Number(count) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 0);
  if (seconds > 0) return seconds;
  const isBare = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) && Number(text) > 0;
  throw new InvalidArgumentError(
    `Expected a time as 90s, 20m or 2h, found "${text}"${isBare ? `, which has no unit: write ${text}s for seconds or ${text}m for minutes` : ''}.`,
  );
}

export function baseAddress(text: string): string {
  if (/^https?:\/\/[^\s/?#]+[^\s?#]*$/i.test(text) && URL.canParse(text)) return withoutSlash(text);
  throw new InvalidArgumentError(
    `Expected an address as https://service.example.com/path, without query or fragment, found "${text}".`,
  );
}

export function base64Key(text: string): string {
  if (base64.test(text) && text !== '') return text;
  throw new InvalidArgumentError('Expected a key in Base64.');
}

/** Reads names separated by commas; a repeated flag adds to the list. */
function namesOf<T extends string>(
  kind: string,
  known: readonly T[],
): (text: string, before?: readonly T[]) => readonly T[] {
  return (text, before = []) => [...before, ...text.split(',').map((name) => nameOf(kind, known)(name.trim()))];
}

function nameOf<T extends string>(kind: string, known: readonly T[]): (text: string) => T {
  return (text) => {
    const name = known.find((candidate) => candidate === text);
    if (name === undefined) throw new InvalidArgumentError(unknownName(kind, text, known));
    return name;
  };
}

export const reportFormat = nameOf('report format', [...reportFormats, ...cassetteFormats]);
export const shellName = nameOf('shell', shellNames);
export const areaList: (text: string, before?: readonly Area[]) => readonly Area[] = namesOf('area', areas);
export const permissionList = namesOf('permission', permissionNames);
export const classList: (text: string, before?: readonly ClassName[]) => readonly ClassName[] = namesOf(
  'class',
  classNames,
);

export const levelList: (text: string, before?: readonly Level[]) => readonly Level[] = namesOf('level', levels);

export function ruleId(text: string): RuleId {
  const found = knownRule(text);
  if (found !== undefined) return found;
  if (areas.some((area) => area === text))
    throw new InvalidArgumentError(`"${text}" is an area; svc-conformance rules --areas ${text} lists its rules.`);
  throw unknownRule(text);
}

function knownRule(text: string): RuleId | undefined {
  return listedRules.find(({ id }) => id === text)?.id;
}

function unknownRule(text: string): InvalidArgumentError {
  const now = rulesFormerly(text);
  if (now !== undefined) return new InvalidArgumentError(`Rule "${text}" of before is ${now.join(' and ')} now.`);
  const near = nearNames(
    text,
    listedRules.map(({ id }) => id),
  ).slice(0, mostNear);
  return new InvalidArgumentError(
    `Unknown rule "${text}"; ${near.length === 0 ? 'svc-conformance rules lists them' : `near are ${near.join(', ')}`}.`,
  );
}

export function ruleIdList(text: string, before: readonly RuleId[] = []): readonly RuleId[] {
  return [...before, ...text.split(',').map((id) => ruleId(id.trim()))];
}

/** Reads ids separated by commas, whatever they are ids of; a repeated flag adds to the list. */
export function idList(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').map((id) => id.trim())];
}

/** Reads patterns of rule ids; one without a wildcard has to be the id of a rule. */
export function rulePatternList(text: string, before: readonly string[] = []): readonly string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim());
  for (const pattern of patterns) if (!pattern.includes('*')) assertWhole(pattern);
  return [...before, ...patterns];
}

/** What several ids begin with was meant for all of them. */
function assertWhole(text: string): void {
  if (knownRule(text) !== undefined) return;
  const begun = listedRules.filter(({ id }) => id.startsWith(`${text}.`)).length;
  if (begun === 0) throw unknownRule(text);
  throw new InvalidArgumentError(`No rule is called "${text}"; '${text}.*' takes the ${begun} that begin with it.`);
}

const furtherIdentities = ['secondEditor', 'reader', 'outsider', 'noRole', 'administrator'] as const;

/** An identity beside the editor, and its user name. */
export interface NamedIdentity {
  readonly identity: (typeof furtherIdentities)[number];
  readonly username: string;
}

/** One more of `IDENTITY=USERNAME`. @throws {InvalidArgumentError} */
export function namedIdentity(text: string, before: readonly NamedIdentity[] = []): readonly NamedIdentity[] {
  const [name = '', ...rest] = text.split('=');
  const identity = furtherIdentities.find((each) => each === name);
  const username = rest.join('=');
  if (identity !== undefined && username !== '') return [...before, { identity, username }];
  throw new InvalidArgumentError(
    `Expected IDENTITY=USERNAME with one of ${furtherIdentities.join(', ')}, found "${text}".`,
  );
}

/** Reads the name of an environment variable. */
export function variableName(text: string): string {
  if (/^[A-Za-z_]\w*$/.test(text)) return text;
  throw new InvalidArgumentError(`Expected the name of an environment variable as SVC_PASSWORD, found "${text}".`);
}

export function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // told below, with everything else that is no object
  }
  throw new InvalidArgumentError(`Expected a JSON object as '{"title":"x"}', found "${text}".`);
}

/** Reads a folder, as an absolute path. */
export function folderList(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, resolve(text)];
}

/** Reads hosts, separated by commas or one a flag. @throws {InvalidArgumentError} */
export function hostList(text: string, before: readonly string[] = []): readonly string[] {
  const hosts = text.split(',').map((host) => host.trim());
  const wrong = hosts.find((host) => !/^[^/?#@\s]+$/.test(host) || !URL.canParse(`http://${host}`));
  if (wrong === undefined) return [...before, ...hosts];
  throw new InvalidArgumentError(
    `Expected a host as extensions.example or 10.0.0.7:8443, found ${wrong || 'nothing'}.`,
  );
}

/** Reads origins of pages, or `*` for any; a repeated flag adds to the list. */
export function originList(text: string, before: readonly string[] = []): readonly string[] {
  const origins = text.split(',').map((origin) => origin.trim());
  const wrong = origins.find((origin) => origin !== '*' && URL.parse(origin)?.origin !== origin);
  if (wrong === undefined) return [...before, ...origins];
  throw new InvalidArgumentError(
    `Expected scheme and host of a page, as http://localhost:5173, or * for any, found ${wrong || 'nothing'}.`,
  );
}

/** Reads a path; a repeated flag adds to the list. */
export function pathList(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

export const reportList: (text: string, before?: readonly ReportRequest[]) => readonly ReportRequest[] =
  requestsFor(reportFormats);
/** Reads FORMAT=FILE, or FORMAT for a file of the usual name. */
export function trafficReportList(
  text: string,
  before: readonly TrafficReportRequest[] = [],
): readonly TrafficReportRequest[] {
  const [name = '', ...rest] = text.split('=');
  const file = rest.join('=');
  if (file === '' && text.includes('='))
    throw new InvalidArgumentError(`Expected FORMAT or FORMAT=FILE, found "${text}".`);
  return [...before, { format: nameOf('report format', trafficReportFormats)(name), ...(file !== '' && { file }) }];
}

function requestsFor<F extends string>(formats: readonly F[]) {
  return (text: string, before: readonly { readonly format: F; readonly file: string }[] = []) => {
    const [format = '', ...rest] = text.split('=');
    const file = rest.join('=');
    if (file === '')
      throw new InvalidArgumentError(
        `Expected FORMAT=FILE, found "${text}"; write ${formats.some((known) => known === text) ? text : formats[0]}=FILE.`,
      );
    if (cassetteFormats.some((known) => known === format))
      throw new InvalidArgumentError(
        `${format} is made of a cassette: add --record run.cassette, then svc-conformance report ${format} run.cassette.`,
      );
    return [...before, { format: nameOf('report format', formats)(format), file }];
  };
}

/** Reads a part of a load; a repeated flag adds to the list. */
export function stageList(text: string, before: readonly StageOption[] = []): readonly StageOption[] {
  const {
    time = '',
    to = '',
    users,
  } = /^(?<time>[^:]+):(?<to>\d{1,7}(?:\.\d{1,3})?)(?<users>users?)?$/.exec(text)?.groups ?? {};
  if (to === '' || (users !== undefined && !/^\d{1,5}$/.test(to)))
    throw new InvalidArgumentError(`Expected TIME:RATE as 30s:50, or TIME:USERS as 30s:50users, found "${text}".`);
  return [...before, { seconds: duration(time), model: users === undefined ? 'open' : 'closed', to: Number(to) }];
}

const mostSegments = 1000;

/** Reads a part of a load as 2/4. */
export function segmentOfLoad(text: string): Segment {
  const { number, of } = /^(?<number>[1-9]\d{0,3})\/(?<of>[1-9]\d{0,3})$/.exec(text)?.groups ?? {};
  if (Number(number) <= Number(of) && Number(of) <= mostSegments) return { index: Number(number) - 1, of: Number(of) };
  throw new InvalidArgumentError(`Expected a part of the load as 2/4, the second of four, found "${text}".`);
}

/** Reads a time with its zone, as 2027-01-31T12:00:00Z. @returns ms of Unix time */
export function moment(text: string): number {
  const at = Date.parse(text);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(at))
    return at;
  throw new InvalidArgumentError(`Expected a time with its zone, as 2027-01-31T12:00:00Z, found "${text}".`);
}

/** Reads a share as 20%. @returns percent */
export function percentage(text: string): number {
  const percent = Number(/^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(text)?.[1]);
  if (percent <= 100) return percent;
  throw new InvalidArgumentError(`Expected a share from 0% to 100%, found "${text}".`);
}

/** Reads a number above 0. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (/^\d{1,7}(?:\.\d{1,3})?$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError(`Expected a number above 0, found "${text}".`);
}

/** Whether a profile is named by where it is served, and not by its file. */
export function isAddress(place: string): boolean {
  return /^https?:\/\//.test(place);
}

/** Reads `all`, `off` or a share from 0 to 1. */
export function judgedShare(text: string): number {
  if (text === 'all') return 1;
  if (text === 'off') return 0;
  const value = Number(text);
  if (/^(?:0|1|0?\.\d+|1\.0+)$/.test(text) && value <= 1) return value;
  throw new InvalidArgumentError(`Expected all, off or a share from 0 to 1, found "${text}".`);
}

/** Reads `memory`, `sqlite:FILE` or the address of a database, which is not looked at here: what is wrong with it must not be shown with its password. */
export function storeChoice(text: string): StoreChoice {
  if (text === 'memory') return { kind: 'memory' };
  if (/^postgres/i.test(text)) return { kind: 'postgres', url: text };
  const file = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : '';
  if (file === '')
    throw new InvalidArgumentError(
      `Expected memory, sqlite:FILE or postgres://USER@HOST:PORT/DATABASE, found "${text}".`,
    );
  return { kind: 'sqlite', file };
}
