import { metadataPath } from '../../../contract/names.ts';
import type { Need } from '../../../contract/needs.ts';
import type { Profile } from '../../../contract/profile.ts';
import type { CaseContext } from '../../case.ts';
import { NoAnswer } from '../../client/failure.ts';
import { describe } from '../../describe.ts';
import { callsAtOnce } from '../../extension/calls-at-once.ts';
import { namesExtension } from '../../extension/own-call.ts';
import { PreconditionFailed } from '../../violation.ts';
import type { Ground } from '../preflight.ts';
import { sentenceFrom } from './sentences.ts';
import { isSuccess } from '../../exchange.ts';

/** What keeps rules from being judged: that the extensions of a run are not called, or cannot be named. */
interface Obstacle {
  readonly unreached?: string;
  readonly unusable?: string;
  /** What a rule says as well. */
  readonly violation?: string;
}

/**
 * Whether the service reaches the listener of the profile, shown by the metadata exchange of an extension, and tells what it registers by an id:
 * what nothing can name cannot be removed, and would disturb every case after its own. Nothing where neither can be told: what is wrong with
 * registrations is for their rules to say.
 */
export async function reachable(
  { given, profile }: Pick<Ground, 'given' | 'profile'>,
  strays: () => Promise<readonly string[]>,
): Promise<Obstacle> {
  const { listener, identities } = profile.all;
  if (listener === undefined || identities.administrator === undefined) return {};
  try {
    await given.extension();
    return {};
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
    const { reply, message } = error;
    if (reply !== undefined) return isSuccess(reply.status) ? { unusable: namelessSentence(reply.status) } : {};
    if (!message.includes('metadata')) return { unreached: message.replace('the case needs', 'the run needs') };
    const came = await strays();
    if (came.length === 0)
      return {
        unreached: `a registered extension was not asked for its metadata: let the service reach listener.publicUrl (${listener.publicUrl}) of the profile, or correct it`,
      };
    const instead = `a registered extension was not asked for its metadata at its hostUri: the listener of the suite got ${came.join(', ')} instead`;
    // who leaves out the path of hostUri has reached the listener, unless something before it takes paths away
    if (pathname(listener.publicUrl) === '' && came.includes(`GET ${metadataPath}`)) return { violation: instead };
    return {
      unreached: `${instead}. Let the service call what listener.publicUrl (${listener.publicUrl}) of the profile leads to, with its path`,
    };
  }
}

function pathname(publicUrl: string): string {
  return publicUrl.replace(/^\w+:\/\/[^/]*/, '').replace(/\/$/, '');
}

function namelessSentence(status: number): string {
  return `the answer to a registration (${status}) names no id by which it can be removed: bind routes.registrationIdPath of the profile`;
}

/** Undefined unless each event of the profile would reach every extension, so that no case could tell its calls from those of others. */
export function eventUsable({ triggers }: Profile): string | undefined {
  if (triggers?.event === undefined || namesExtension(triggers.event)) return undefined;
  return 'triggers.event names no extension, and each event would reach all of them: put {{recordId}} or {{registrationId}} into it, or leave it out';
}

/** The profile without events that cannot be used, so that no case that could do without sets one off. */
export function withUsableEvents(profile: Profile): Profile {
  if (profile.triggers === undefined || eventUsable(profile) === undefined) return profile;
  const { event: _nameless, ...triggers } = profile.triggers;
  return { ...profile, triggers };
}

/** The profile without validations: an extension that nobody can remove would be asked about the objects of every other case. */
export function withoutValidations(profile: Profile): Profile {
  const { validation: _asked, validationInContext: _inContext, ...triggers } = profile.triggers ?? {};
  return { ...profile, triggers };
}

const leftSentence =
  'remove an extension that another run, or one that was killed, has left registered: it may be asked about every object, and answer no more';

/**
 * Whether the operation that is to be validated is taken where nobody validates it; else its refusal would be told as a verdict. Undefined
 * when it is, when no rule of the run has to do with extensions, or when it fails in a way that rules are there to judge.
 */
export async function validationUsable(
  { triggers, given, profile }: Pick<CaseContext, 'triggers' | 'given' | 'profile'>,
  needs: ReadonlySet<Need>,
): Promise<string | undefined> {
  const { softTypes, triggers: { validation } = {} } = profile.all;
  if (!needs.has('extension-listener') || validation === undefined || softTypes === undefined) return undefined;
  return sentenceFrom({ profile }, async () => {
    const thing = await given.object();
    try {
      const { reply } = await triggers.validation(thing);
      if (reply.status < 400 || reply.status >= 500) return undefined;
      return `triggers.validation was answered ${reply.status} where no extension validates it: correct it, so that an object of softTypes.primary takes it, or ${leftSentence} (the answer says ${describe(reply.text, 200)})`;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return `triggers.validation was not answered where no extension of this run validates it (${error.message}): ${leftSentence}`;
    }
  });
}

/** What is not said of how a service makes its calls. */
export async function howCalled(
  ground: Pick<CaseContext, 'triggers' | 'given' | 'profile'>,
  needs: ReadonlySet<Need>,
): Promise<Partial<NonNullable<Profile['expect']>>> {
  if (!needs.has('extension-listener') || ground.profile.all.routes?.registrationDelete === undefined) return {};
  const most = await whereTold(() => callsAtOnce(ground));
  return { ...(await besideValidations(ground)), ...(most !== undefined && { callsAtOnce: most }) };
}

/** What a service does beside a validation that is under way; as most do, where that cannot be told or the profile says it. */
async function besideValidations(
  ground: Pick<CaseContext, 'triggers' | 'given' | 'profile'>,
): Promise<Pick<NonNullable<Profile['expect']>, 'severalValidations' | 'duringValidation'>> {
  const { softTypes, expect, triggers: { validation } = {} } = ground.profile.all;
  if (softTypes === undefined || validation === undefined) return {};
  const isAsked = expect?.severalValidations === undefined && !namesExtension(validation);
  return {
    ...(isAsked && (await whereTold(() => asksOne(ground))) && { severalValidations: 'one' }),
    ...(expect?.duringValidation === undefined &&
      (await whereTold(() => lockedOut(ground))) && { duringValidation: 'wait' }),
  };
}

async function whereTold<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof PreconditionFailed || error instanceof NoAnswer) return undefined;
    throw error;
  }
}

/** Whether of two extensions that validate one SoftType one alone is asked. */
async function asksOne({ triggers, given }: Pick<CaseContext, 'triggers' | 'given'>): Promise<boolean> {
  const thing = await given.object();
  const about = { types: ['ExternalValidation'] as const, concerns: [thing] };
  const both = [await given.extension(about), await given.extension(about)];
  await triggers.validation(thing);
  return both.filter((extension) => extension.calls({ objectId: thing.oid }).length > 0).length === 1;
}

/** So long is a validation under way while somebody else asks for something, in ms; longer once more, as calls may go out now and then only. */
const beside = [300, 1500] as const;

/** Whether nobody is let in, or no other object validated, before a validation that is under way is over: seen twice, as a machine may be slow once. */
async function lockedOut(
  { triggers, given }: Pick<CaseContext, 'triggers' | 'given'>,
  [delayMs, ...later]: readonly number[] = beside,
): Promise<boolean> {
  if (delayMs === undefined) return true;
  const thing = await given.object();
  const other = await given.object();
  const steps = [{ json: { isValid: true, message: '' }, delayMs }];
  const about = { types: ['ExternalValidation'] as const, concerns: [thing, other] };
  const extension = await given.extension({ ...about, script: [{ steps, afterwards: 'last' }] });
  const validated = triggers.validation(thing);
  const letIn = async (): Promise<boolean> => {
    await extension.call({ objectId: thing.oid });
    const ended = extension.ended(1, { objectId: thing.oid }).then(() => false);
    const isAsked = extension.call({ objectId: other.oid });
    const others = Promise.all([given.object(), isAsked]).then(() => true);
    const [first] = await Promise.all([Promise.race([ended, others]), ended, others, triggers.validation(other)]);
    return first;
  };
  const [isLetIn] = await Promise.all([letIn(), validated]);
  return !isLetIn && lockedOut({ triggers, given }, later);
}
