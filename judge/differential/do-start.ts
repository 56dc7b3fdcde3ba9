import { startingContent, type Start } from '../model/command.ts';
import { bodyOf } from '../model/requests.ts';
import { accept } from '../model/subject.ts';
import { headerVersion } from '../version.ts';
import { kindOf, shown, take, tell, type Actor, type Played, type Step } from './actor.ts';
import { openJudging } from './breach.ts';
import { causeOf, created } from './cause.ts';
import { breachesIn } from './judge-look.ts';
import { look } from './seen.ts';

const agedBy = { ...causeOf({ kind: 'merge', scalars: {} }, []), names: ['scalar 1'] };

/** Creates an object with what the history begins with, and looks at it. */
export async function doStart(actor: Actor, start: Start): Promise<Step> {
  const { party } = actor;
  const { context, shape } = party;
  const content = startingContent(start, shape, actor.fresh);
  const body = context.given.body(bodyOf(context, shape, content));
  const reply = await tell(actor, context.service.requests.create(body));
  const judging = openJudging();
  judging.equal('reading.create.status-201', 'status of a create', reply.status, 201);
  judging.holds('headers.location.on-create', reply.headers['location'] !== undefined, 'a Location', 'none');
  const thing = await context.given.found(reply, body);
  const version = headerVersion(reply.headers);
  judging.holds(
    'headers.uoi-version.on-create',
    version === thing.version,
    `the version ${thing.version} in the version header`,
    String(version),
  );
  const played = take(actor, thing, content);
  const step = await looked(actor, played, judging.breaches, reply);
  await aged(actor, played, start.age);
  if (start.age === 0 || played.seen !== undefined) return step;
  played.seen = await look(party, played.subject, played.numbering);
  const found = played.seen === undefined ? [] : breachesIn(party, played.subject, played.seen, agedBy);
  settleOrder(played);
  return { ...step, breaches: [...step.breaches, ...found], told: actor.told.length };
}

async function looked(actor: Actor, played: Played, breaches: Step['breaches'], reply: Step['reply']): Promise<Step> {
  const kind = kindOf(reply, 'create');
  played.seen = await look(actor.party, played.subject, played.numbering);
  const found = played.seen === undefined ? [] : breachesIn(actor.party, played.subject, played.seen, created);
  settleOrder(played);
  return {
    command: 'create',
    situation: 'as the input schema has it',
    reply,
    kind,
    looks: shown(actor, reply, kind, played.seen),
    breaches: [...breaches, ...found],
    facets: played.seen?.facets ?? new Map(),
    isDecided: true,
    told: actor.told.length,
  };
}

/** What was read last shows the order of the entries for good. */
export function settleOrder({ subject, seen }: Played): void {
  subject.unordered = false;
  subject.ids = seen?.arrays.map(({ whole }) => whole.map(({ entryId }) => entryId));
}

/** So many merges, of which nothing is looked at. */
async function aged(actor: Actor, played: Played, age: number): Promise<void> {
  const { context, shape } = actor.party;
  const { subject } = played;
  const [scalar] = shape.scalars;
  if (scalar === undefined || !shape.kinds.has('merge') || age === 0) return;
  played.seen = undefined;
  for (let edits = 0; edits < age; edits += 1) {
    const text = actor.fresh();
    const { state } = subject;
    const reply = await tell(
      actor,
      context.service.requests.merge({ ...subject.thing, version: state.version }, { [scalar]: text }),
    );
    if (reply.status >= 300) return;
    accept(context, subject, { ...state, scalars: { ...state.scalars, [scalar]: text }, version: state.version + 1 });
  }
}
