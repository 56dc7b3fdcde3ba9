import { type CaseContext, history } from '../../judge/case.ts';
import { triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { findShortest } from '../../judge/model/shortest.ts';
import { drawRegistrations, type RegistrationScope } from '../../judge/registration-history/draw.ts';
import { ofCallees, type RegistrationHistory, tellRegistrations } from '../../judge/registration-history/history.ts';
import { rules } from '../../judge/rule.ts';
import { readTime } from '../../judge/time/part-time.ts';
import { unlessRefused, Violation } from '../../judge/violation.ts';
import { kindsOf } from './history-callees.ts';
import { RegistrationPlay } from './history-registrations.ts';

/** Longest search for a shorter history that fails, in ms. */
const longestMs = 12_000;

export const registrationHistoryRules = rules('registration', {
  'registration.history.matches-model': {
    level: 'must',
    source:
      'extensions: Registered external endpoint; Registered trusted external endpoint; Registered extension; Registration routes; Metadata exchange; Acquiring API keys; Authentication, rules 2, 3 and 5; Calls to extensions',
    statement:
      'Over any run of registrations, updates, refused ones, removals, new registrations in the place of removed ones and requests for keys, each callee is called, asked for metadata and given keys as its own registration says now, and nobody else is.',
    fault: 'An update of an endpoint that is refused for its headers leaves its method behind.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    repeats: ['registration', 'metadata', 'signing', 'calls', 'delivery', 'api-keys'],
    test: history(async (context, { seed, asFound }) => {
      const drawn = drawRegistrations(seed, scopeOf(context));
      const begunAt = readTime();
      const failed = await follow(context, drawn);
      if (failed === undefined) return;
      // a service that takes its time leaves none for a search
      const isLong = readTime() - begunAt > longestMs;
      const { shortest, violation } =
        asFound === true || isLong
          ? { shortest: drawn, violation: failed.violation }
          : await reduced(context, drawn, failed);
      violation.counterexample = `${tellRegistrations(shortest)} (seed ${seed})`;
      throw violation;
    }),
  },
});

function scopeOf(context: CaseContext): RegistrationScope {
  const { routes = {}, apiKeys, identities } = context.profile.all;
  const shown = kindsOf(context, triggeredTypes(context));
  const kinds = (['event', 'mail', 'simple endpoint', 'trusted endpoint'] as const).filter((kind) => shown.has(kind));
  return {
    kinds: new Set(kinds),
    updates: routes.registrationUpdate !== undefined,
    removals: routes.registrationDelete !== undefined && routes.registrationRead !== undefined,
    keys: apiKeys !== undefined,
    strangers: (['editor', 'spaceAdministrator', 'reader', 'noRole'] as const).filter(
      (name) => identities[name] !== undefined,
    ),
  };
}

interface Failed {
  readonly violation: Violation;
  /** Where it showed. */
  readonly step: number;
  readonly callee: number;
}

/** Lets the history happen; undefined where all is as it has to be. */
async function follow(context: CaseContext, history: RegistrationHistory): Promise<Failed | undefined> {
  let at = { step: 0, callee: 0 };
  try {
    await new RegistrationPlay(context).run(history, (step, callee) => (at = { step, callee }));
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return { violation: error, ...at };
    throw error;
  }
}

/** The shortest history that still fails: with one registration alone, then without steps. */
async function reduced(
  context: CaseContext,
  history: RegistrationHistory,
  { violation: first, step, callee }: Failed,
): Promise<{ readonly shortest: RegistrationHistory; readonly violation: Violation }> {
  const until = readTime() + longestMs;
  let violation = first;
  const fails = async (candidate: RegistrationHistory): Promise<boolean> => {
    // a candidate that the service does not let us try is none
    const failed = readTime() > until ? undefined : await unlessRefused(() => follow(context, candidate));
    if (failed !== undefined) ({ violation } = failed);
    return failed !== undefined;
  };
  const begun = { ...history, steps: history.steps.slice(0, step + 1) };
  const alone = ofCallees(begun, [callee]);
  const failing = (await fails(alone)) ? alone : begun;
  const steps = await findShortest(failing.steps, (less) => fails({ ...failing, steps: less }));
  return { shortest: { ...failing, steps }, violation };
}
