import type { RuleId } from '../../contract/rule.ts';
import { silences } from '../../contract/silences.ts';
import type { Step } from './actor.ts';
import type { Breach } from './judge-look.ts';
import type { AnswerKind, Looks } from './reading.ts';
import type { CoveringSilence, PartyName } from './result.ts';

/** Something that showed in one step of a history; `key` is the same wherever the same thing shows. */
export type Occurrence = OccurredBreach | OccurredDifference;

export interface OccurredBreach {
  readonly key: string;
  readonly party: PartyName;
  readonly breach: Breach;
  readonly where: string;
}

export interface OccurredDifference {
  readonly key: string;
  readonly command: string;
  readonly situation: string;
  readonly aspect: string;
  readonly first: string;
  readonly second: string;
  readonly silence?: string;
}

/** Places that the documents have in every answer of a kind. */
const decided: readonly (readonly [AnswerKind, string, RuleId])[] = [
  ['instance read', 'body.href', 'reading.body.href-leads-back'],
  ['instance read', 'body.data.$oid', 'reading.system.oid-matches-route'],
  ['page', 'body.href', 'paging.page-body.href-leads-back'],
];

/** What two steps with the same command show: breaches of either, and where there is none what the two do differently. */
export function occurrencesIn(first: Step, second: Step): readonly Occurrence[] {
  const breaches = [...breachesOf(first, 'first'), ...breachesOf(second, 'second')];
  if (breaches.length > 0) return breaches;
  return [...outcome(first, second), ...looksApart(first, second), ...facetsApart(first, second)];
}

function breachesOf({ breaches, looks, command, situation }: Step, party: PartyName): readonly OccurredBreach[] {
  const lacking = decided
    .filter(([kind, place]) => looks.some((look) => look.kind === kind && !look.looks.has(place)))
    .map(([kind, place, rule]) => ({
      rule,
      expected: `${place} in every ${kind}`,
      actual: 'an answer without',
      isLasting: false,
    }));
  return [...breaches, ...lacking].map((breach) => ({
    key: `breach ${party} ${breach.rule}`,
    party,
    breach,
    where: `${command}, ${situation}`,
  }));
}

/** The status, and what became of the object where the documents leave that open. */
function outcome(first: Step, second: Step): readonly OccurredDifference[] {
  const statuses = [first.reply.status, second.reply.status] as const;
  const effects = [first, second].map((step) => (step.isDecided ? '' : effect(step)));
  const [status, became] = [statuses[0] !== statuses[1], effects[0] !== effects[1]];
  if (!status && !became) return [];
  // that a route tells of its success in another way is one thing, whatever was asked
  const isSuccess = !became && statuses.every((value) => value < 300);
  const situation = isSuccess ? 'accepted' : first.situation;
  const silence = isSuccess ? (successes[first.command] ?? first.silence) : first.silence;
  const texts = statuses.map((value, index) =>
    became ? `status ${value}; ${effects[index] || 'nothing changed'}` : `status ${value}`,
  );
  return [
    {
      key: `outcome ${first.command} ${situation}`,
      command: first.command,
      situation,
      aspect: aspectOfOutcome(status, became),
      first: texts[0] ?? '',
      second: texts[1] ?? '',
      ...(silence !== undefined && { silence }),
    },
  ];
}

const successes: Readonly<Record<string, string>> = {
  'operations PATCH': 'operations-patch-success-status',
  PUT: 'put-success-status',
  DELETE: 'delete-success-status',
  'multi-create': 'multi-create-success-status',
};

function aspectOfOutcome(status: boolean, became: boolean): string {
  if (status && became) return 'status and effect';
  return status ? 'status' : 'effect';
}

/** What became of the object, without what follows from it. */
function effect({ facets }: Step): string {
  return [...facets]
    .filter(([name]) => !/^(?:order|entry ids|page links|tag) of/.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
}

function looksApart(first: Step, second: Step): readonly OccurredDifference[] {
  return first.looks.flatMap(({ kind, looks }, index) => {
    const other = second.looks[index];
    return other?.kind === kind ? placesApart(kind, looks, other.looks) : [];
  });
}

function placesApart(kind: AnswerKind, one: Looks, two: Looks): readonly OccurredDifference[] {
  const apart = [...new Set([...one.keys(), ...two.keys()])].filter((place) => one.get(place) !== two.get(place));
  // what is missing as a whole is not told member by member
  const upper = apart.filter((place) => apart.every((above) => !isAbove(above, place)));
  const groups = Map.groupBy(
    upper.filter((place) => kind.startsWith('refusal') || !isWithoutBody(place, one, two)),
    (place) => aspectOf(kind, place, one, two),
  );
  return [...groups].map(([aspect, places]) => {
    const [place = ''] = places;
    const isRefusal = aspect === 'body and media type';
    const everywhere = isRefusal || place.startsWith('header ') || place === 'form of URIs';
    const silence = silenceOfPlace(kind, place, aspect);
    return {
      key: `looks ${everywhere && !(kind === 'other answer' && place === 'header content-type') ? '' : kind} ${aspect}`,
      command: answerName(kind, isRefusal, everywhere),
      situation: 'as it looks',
      aspect,
      first: shownAt(places, one),
      second: shownAt(places, two),
      ...(silence !== undefined && { silence }),
    };
  });
}

/** The kinds of answers of which the same is told once. */
function answerName(kind: AnswerKind, isRefusal: boolean, everywhere: boolean): string {
  if (isRefusal) return 'refusal';
  return everywhere ? 'any answer' : kind;
}

/** Places that tell of one and the same thing have one name: members that one side alone has, and the ways to show nothing. */
function aspectOf(kind: AnswerKind, place: string, one: Looks, two: Looks): string {
  if (kind.startsWith('refusal') && (place === 'body' || place === 'header content-type')) return 'body and media type';
  const [first, second] = [one.get(place), two.get(place)];
  const isOnlyOnOne = first === undefined || second === undefined;
  if (!place.startsWith('body.') && !place.startsWith('body[')) return place;
  if (place.endsWith(')') && [first, second].some((look) => look === undefined || /^(?:null|an empty .*)$/.test(look)))
    return 'members without value';
  return isOnlyOnOne ? `members of ${place.replace(/(?:\.[^.[]+|\[rel [^\]]+\])$/, '')}` : place;
}

/** Whether the place is the media type of a body that one of the two does not send; in a refusal that is told with the body. */
function isWithoutBody(place: string, one: Looks, two: Looks): boolean {
  return place === 'header content-type' && (one.get('body') === 'none' || two.get('body') === 'none');
}

function shownAt(places: readonly string[], looks: Looks): string {
  const [only = ''] = places;
  if (places.length === 1) return looks.get(only) ?? 'not there';
  return places
    .map((place) => `${place.replace(/^.*(?=[.[][^.[]*$)\.?/, '')}: ${looks.get(place) ?? 'not there'}`)
    .join('; ');
}

function isAbove(above: string, place: string): boolean {
  return place.length > above.length && place.startsWith(above) && /^[.[]/.test(place.slice(above.length));
}

function facetsApart(first: Step, second: Step): readonly OccurredDifference[] {
  if (!first.isDecided) return [];
  const { command, situation } = first;
  return [...new Set([...first.facets.keys(), ...second.facets.keys()])]
    .filter((name) => isApart(name, first.facets.get(name), second.facets.get(name)))
    .map((name) => {
      const aspect = name.replace(/ of object \d+$/, '').replace(/ \d+$/, '');
      const silence = silenceOfFacet(aspect, command);
      const isOfPut = aspect.startsWith('entry ids') && command === 'PUT';
      return {
        key: `facet ${aspect}${isOfPut ? ' put' : ''}`,
        command: aspect === 'state' || isOfPut ? command : 'any write',
        situation,
        aspect,
        first: first.facets.get(name) ?? 'not there',
        second: second.facets.get(name) ?? 'not there',
        ...(silence !== undefined && { silence }),
      };
    });
}

/** A tag that one of the two does not send is told as a header. */
function isApart(name: string, one: string | undefined, two: string | undefined): boolean {
  return one !== two && !(name === 'tag of a read' && (one === undefined || two === undefined));
}

/** The point of the ledger with that id. */
export function silenceById(id: string | undefined): CoveringSilence | undefined {
  const found = [...silences.core, ...silences.extensions].find((silence) => silence.id === id);
  if (found === undefined) return undefined;
  const { profile = [], open } = found;
  return { id: found.id, open, profile: typeof profile === 'string' ? [profile] : profile };
}

const byHeader: Readonly<Record<string, string>> = {
  'cache-control': 'cache-control',
  etag: 'softtype-etag',
  'svc-uoiversion': 'version-header-on-other-responses',
  'www-authenticate': 'challenge-on-401',
  'x-correlation-id': 'correlation-id-echo',
  allow: 'unknown-method-on-route',
};

const byKind: Readonly<Partial<Record<AnswerKind, string>>> = {
  create: 'create-response-body',
  edit: 'operations-patch-success-status',
  delete: 'delete-success-status',
  refusal: 'error-body-shape',
  'refusal without token': 'error-body-shape',
  'failed batch': 'batch-result-body-of-failure',
  'multi-create': 'multi-create-response-body',
};

/** Id of the silence that leaves open what stands at that place of such an answer. */
function silenceOfPlace(kind: AnswerKind, place: string, aspect: string): string | undefined {
  const [, header] = /^header (.+)$/.exec(place) ?? [];
  if (header !== undefined && header !== 'content-type' && header !== 'location')
    return kind === 'multi-create' ? 'multi-create-location-header' : byHeader[header];
  if (place === 'form of URIs') return 'uri-absolute-or-relative';
  if (kind !== 'instance read' && kind !== 'page') return byKind[kind];
  if (place.endsWith('.$entryId')) return 'entry-id-form';
  if (place.endsWith('.sectionPath')) return 'section-path-form';
  if (place.endsWith('.schema')) return kind === 'page' ? 'page-response-extra-members' : 'schema-member-content';
  if (place.includes('.links')) return kind === 'page' ? 'page-response-extra-members' : 'link-rels';
  if (aspect === 'members without value') return 'empty-and-absent-members';
  return kind === 'page' ? 'page-response-extra-members' : undefined;
}

/** Id of the silence that leaves open an aspect of an object after a write that is decided. */
function silenceOfFacet(aspect: string, command: string): string | undefined {
  if (aspect.startsWith('order of')) return 'order-of-entries';
  if (aspect.startsWith('entry ids')) return command === 'PUT' ? 'put-entry-ids' : 'entry-id-stability';
  if (aspect.startsWith('page links')) return 'page-link-when-not-needed';
  if (aspect.startsWith('tag of')) return 'softtype-etag';
  if (aspect === 'state') return command === 'demote' ? 'demote-effect' : 'maturity-states-and-conditions';
  return undefined;
}
