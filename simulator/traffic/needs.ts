import type { DocumentedRoute, Ground } from './ground.ts';
import { isOffered } from './journeys/steps.ts';
import { journeyNames } from './journey.ts';
import type { JourneyName, Mix } from './mix.ts';

/** A mix without the journeys that a profile does not allow, and a sentence for each of them. */
export interface SelectedJourneys {
  readonly mix: Mix;
  readonly remarks: readonly string[];
}

interface Need {
  /** What of the profile would meet it, or the documented route that it is. */
  readonly keys: string;
  readonly isDocumented?: true;
  /** Part of the ground that is there if it is met. */
  readonly of: (ground: Ground) => unknown;
}

const softType: Need = { keys: 'softTypes.primary', of: ({ bodies }) => bodies[0] };
const scalars: Need = { keys: 'softTypes.primary.scalars', of: (ground) => ground.softType.scalars[0] };
const arrayPort: Need = { keys: 'softTypes.primary.arrayPort', of: (ground) => ground.softType.arrayPort };
const caching: Need = { keys: 'caching', of: ({ conditional }) => conditional };
const event: Need = { keys: 'listener, triggers.event and identities.administrator', of: ({ trigger }) => trigger };
const task: Need = { keys: 'listener, triggers.task and identities.administrator', of: (ground) => ground.task };
const keys: Need = {
  keys: 'listener, identities.administrator and apiKeys.acquireAs as administrator, editor or signature',
  of: (ground) => ground.keys,
};
const fileArea: Need = { keys: 'files.areas', of: (ground) => ground.fileArea };
const bulk: Need = {
  keys: 'bulk.adminApiKey, bulk.hostDirectory and files.areas.space',
  of: (ground) => ground.bulk,
};
const operations = documented('operations');
const batch = documented('batch');
const grant: Need = {
  keys: 'auth.tokenUrl on the deployment, and identities.editor with username and password',
  of: (ground) => ground.grant,
};
const expiry: Need = { keys: 'auth.expiredToken or auth.signingKey', of: ({ expiredToken }) => expiredToken };

/** Without one of these a journey has nothing to do. */
const needs: Readonly<Record<JourneyName, readonly Need[]>> = {
  reader: [softType],
  author: [softType, scalars, operations],
  'editor-pair': [softType, scalars],
  importer: [softType, { ...batch, of: (ground) => ground.multiCreate ?? batch.of(ground) }],
  approver: [softType, { keys: 'maturity', of: ({ maturity }) => maturity }],
  'file-user': [fileArea],
  'extension-life': [event],
  'gate-keeper': [{ keys: 'softTypes.primary or caching', of: (ground) => softType.of(ground) ?? caching.of(ground) }],
  'bulk-loader': [bulk],
  'task-runner': [task],
  'key-holder': [keys],
};

/** What a journey does besides, by what it is called. */
const parts: readonly (Need & { readonly journey: JourneyName; readonly what: string })[] = [
  { journey: 'reader', what: 'pages', ...arrayPort },
  { journey: 'reader', what: 'reads through a filter', keys: 'filters.fixed', of: ({ filter }) => filter },
  { journey: 'author', what: 'edits of entries', ...arrayPort },
  { journey: 'importer', what: 'multi-creates', keys: 'multiCreate.resultHref', of: ({ multiCreate }) => multiCreate },
  { journey: 'importer', what: 'batches', ...batch },
  { journey: 'approver', what: 'demotes and batches', keys: 'routes.demote', of: ({ demotePath }) => demotePath },
  { journey: 'approver', what: 'batches', ...batch },
  { journey: 'gate-keeper', what: 'tokens by grant', ...grant },
  { journey: 'gate-keeper', what: 'expired tokens', ...expiry },
  {
    journey: 'gate-keeper',
    what: 'reads by others',
    keys: 'identities.noRole or identities.outsider',
    of: ({ strangers }) => strangers,
  },
  { journey: 'gate-keeper', what: 'conditional reads', ...caching },
];

const explained = { bulk, event, task, grant } as const;

/** Reasons for what the profile names, and the load goes without all the same. */
export function reasonsOf(
  problems: Readonly<Partial<Record<keyof typeof explained, string | undefined>>>,
): Readonly<Record<string, string>> {
  const named = Object.entries(explained).map(([name, { keys: what }]) => [what, Reflect.get(problems, name)] as const);
  return Object.fromEntries(named.filter(([, problem]) => problem !== undefined));
}

/** Why k6 goes without something although the profile may name it, by what the profile would name. */
export const lackingInK6: Readonly<Record<string, string>> = {
  [event.keys]: 'k6 has no extension host that its events could be delivered to',
  [task.keys]: 'k6 has no extension host that could work on its tasks',
  [keys.keys]: 'k6 has no extension host that keys could be brought to',
  [bulk.keys]: 'the directory of a bulk upload is signed by the key of the profile, which is not exported',
  [expiry.keys]: 'an expired token is made from a fresh one by the key of the profile, and neither is exported',
};

/** @param ground with a trigger where events can be taken; objects need not be made yet. @param reasons as `lackingInK6`, where it is not the profile that lacks something */
export function selectJourneys(
  mix: Mix,
  ground: Ground,
  reasons: Readonly<Record<string, string>> = {},
): SelectedJourneys {
  const because = ({ keys, isDocumented }: Need): string =>
    isDocumented === true
      ? `notSupported of the profile names ${keys}`
      : (reasons[keys] ?? `the profile does not name ${keys}`);
  const journeys: Mix['journeys'] = {};
  const remarks: string[] = [];
  for (const name of journeyNames) {
    const journey = mix.journeys[name];
    if (journey === undefined || journey.weight === 0) continue;
    const missing = needs[name].find((need) => need.of(ground) === undefined);
    if (missing === undefined) journeys[name] = journey;
    else remarks.push(`${name} was left out: ${because(missing)}.`);
  }
  for (const part of parts)
    if (journeys[part.journey] !== undefined && part.of(ground) === undefined)
      remarks.push(`${part.journey} went without ${part.what}: ${because(part)}.`);
  return { mix: { ...mix, journeys }, remarks };
}

function documented(route: DocumentedRoute): Need {
  return { keys: route, isDocumented: true, of: (ground) => (isOffered(ground, route) ? route : undefined) };
}
