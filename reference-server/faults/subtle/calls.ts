import { replacing, together, type Fault } from '../fault.ts';
import type { Verdict } from '../../calls/validation/verdict.ts';

/** So many ids are made, then they come again. */
const fewIds = 16;

/** Something of another call, mostly of the one before. */
export const subtleCallFaults = {
  /** Once its registration was updated, the tokens of an extension speak for who updated it. */
  'subtle.token.of-who-updated-registration': (behaviours) => {
    const updaters = new Map<string, string>();
    return together(
      replacing('putExtension', (right) => async (service, call) => {
        const answer = await right(service, call);
        updaters.set(call.params['id'] ?? '', call.user.name);
        return answer;
      }),
      replacing('extensionRequest', (right) => (service, delivery, callee) => {
        const userName = updaters.get(delivery.registrationId) ?? delivery.userName;
        return right(service, { ...delivery, userName }, callee);
      }),
    )(behaviours);
  },

  /** A token for a trusted endpoint lives as long as that of the endpoint called before. */
  'subtle.token.life-time-of-endpoint-before': (behaviours) => {
    let before: number | undefined;
    return replacing('endpointUrl', (right) => (service, delivery, callee) => {
      if (callee.endpoint.kind !== 'trustedExternalEndpoint') return right(service, delivery, callee);
      const { tokenLifeTime } = callee.endpoint;
      const endpoint = { ...callee.endpoint, tokenLifeTime: before ?? tokenLifeTime };
      before = tokenLifeTime;
      return right(service, delivery, { ...callee, endpoint });
    })(behaviours);
  },

  'subtle.envelope.fresh-ids-come-again': (behaviours) => {
    const ids: string[] = [];
    let made = 0;
    return replacing('envelopeIdOf', (right) => (call) => {
      if (call.correlationGiven) return right(call);
      const id = ids[made % fewIds] ?? right(call);
      ids[made % fewIds] = id;
      made += 1;
      return id;
    })(behaviours);
  },

  /** The information filter of the first event for a record stays. */
  'subtle.filter.of-first-event-for-record': (behaviours) => {
    const filters = new Map<string, string>();
    return replacing('deliveryOf', (right) => (service, call, errand) => {
      const delivery = right(service, call, errand);
      if (delivery.kind !== 'event') return delivery;
      const key = service.behaviours.endpointKeyOf(delivery);
      const informationFilter = filters.get(key) ?? delivery.informationFilter;
      filters.set(key, informationFilter);
      return { ...delivery, informationFilter };
    })(behaviours);
  },

  /** What was found invalid is not asked about again until it has another version. */
  'subtle.validation.negative-verdict-is-kept': (behaviours) => {
    const kept = new Map<string, Verdict>();
    return replacing('verdictOn', (right) => async (service, call, object, validators) => {
      const key = `${object.oid} ${object.version}`;
      const verdict = kept.get(key) ?? (await right(service, call, object, validators));
      if (verdict.kind === 'invalid') kept.set(key, verdict);
      return verdict;
    })(behaviours);
  },

  /** An answer that says nothing counts as the answer before, whatever object that was about. */
  'subtle.validation.verdict-of-object-before': (behaviours) => {
    const last = new Map<string, Verdict>();
    return replacing('askValidator', (right) => async (service, call, object, validator) => {
      const key = `${validator.registrationId} ${validator.recordId}`;
      const verdict = await right(service, call, object, validator);
      const isMute = verdict.kind === 'error' && verdict.message === 'the answer is no object with isValid';
      if (isMute) return last.get(key) ?? verdict;
      last.set(key, verdict);
      return verdict;
    })(behaviours);
  },
} satisfies Readonly<Record<string, Fault>>;
