import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together, type Variant } from '../../breaks.ts';
import { awaitCalls, event, task, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { callOfEndpoint, promotes, runningJob, tokenIn } from '../proofs.ts';
import type { Service } from '../service.ts';
import { patOf } from '../variant-parts.ts';

/** What a delivery has before the personal access token that triggered it, in the place of its user. */
const mark = 'pat ';

/** Requests of deliveries that a personal access token has triggered are made otherwise. */
function whereTriggeredByPat(requests: Variant): Variant {
  const marks = replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
    const delivery = right(areas, call, triggered);
    const pat = patOf(call);
    return pat === undefined ? delivery : { ...delivery, userName: mark + pat };
  });
  return together(marks, requests);
}

/** The token in a call is another one, made of the personal access token that triggered it. */
function hasTokenOf(make: (pat: string) => string): Variant {
  return whereTriggeredByPat(
    replaces('requests', 'impersonationToken', async (right, areas, name, minutes) =>
      name.startsWith(mark) ? make(name.slice(mark.length)) : right(areas, name, minutes),
    ),
  );
}

async function tokenOfEvent(service: Service): Promise<string | undefined> {
  const host = await service.host([event]);
  await service.edda.sendEvent('event');
  return (await awaitCalls(host))[0]?.envelope?.accessToken;
}

export const personalTokensMistakes: Mistakes = {
  'pat.envelope-has-the-token-itself': {
    source: 'extensions: Call envelope',
    breaks: 'The token of a call is a JWT, also where a personal access token triggered it.',
    variant: hasTokenOf((pat) => pat),
    shows: async (service) => (await tokenOfEvent(service))?.startsWith('svcpat') ?? false,
  },
  'pat.envelope-has-no-token': {
    source: 'extensions: Call envelope',
    breaks: 'A call has a token of the user, also where a personal access token triggered it.',
    variant: hasTokenOf(() => ''),
    shows: async (service) => (await tokenOfEvent(service)) === '',
  },
  'pat.trusted-endpoint-without-a-token': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint is called with a token, also where a personal access token triggered it.',
    variant: whereTriggeredByPat(
      replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) =>
        delivery.userName.startsWith(mark) ? callee.endpoint.url : right(areas, delivery, callee),
      ),
    ),
    shows: async (service) => tokenIn(await callOfEndpoint(service, {}, { kind: 'trustedExternalEndpoint' })) === '',
  },
  'pat.reports-on-no-job': {
    source: 'core: Authentication 1',
    breaks: 'A user reports on a job with a personal access token as with one of the grant.',
    variant: replaces('jobs', 'reportStatus', (right, areas, call, writing) => {
      if (patOf(call) !== undefined) throw new Refusal(403, 'A report takes the token of the call.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      await service.host([task]);
      const job = await runningJob(service);
      return (await service.edda.put(`${job}/status/Completed`, undefined)).status === 403;
    },
  },
  'pat.validates-nothing': {
    source: 'core: Authentication 1',
    breaks: 'A promote that extensions validate is open to a personal access token as well.',
    variant: replaces('validation', 'verdictOn', async (right, areas, call, object, validators) =>
      patOf(call) === undefined
        ? right(areas, call, object, validators)
        : { kind: 'error', message: 'there is no token to speak for the user with' },
    ),
    async shows(service) {
      await service.host([validator]);
      return !(await promotes(service.edda, await service.edda.make('Document')));
    },
  },
};
