import { type CaseContext, history } from '../../judge/case.ts';
import { triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { assertHistory } from '../../judge/model/failing-history.ts';
import {
  drawRegistrations,
  ofCallees,
  type RegistrationScope,
  tellRegistrations,
} from '../../judge/model/registration-history.ts';
import { rules } from '../../judge/rule.ts';
import { kindsOf } from './histories/callees.ts';
import { RegistrationPlay } from './histories/registrations.ts';

export const registrationHistoryRules = rules('registration', {
  'registration.history.matches-model': {
    source:
      'extensions: Registered external endpoint; Registered trusted external endpoint; Registered extension; Registration routes; Metadata exchange; Acquiring API keys; Authentication, rules 2, 3 and 5; Calls to extensions',
    statement:
      'Over any run of registrations, updates, refused ones, removals, new registrations in the place of removed ones, of endpoints also of the other kind, and requests for keys, each callee is called, asked for metadata and given keys as its own registration says now, and nobody else is.',
    fault: 'An update of an endpoint that is refused for its headers leaves its method behind.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['registration.simple.no-call-on-registration'],
    repeats: ['registration', 'metadata', 'signing', 'calls', 'delivery', 'api-keys'],
    test: history((context, generation) =>
      assertHistory(
        drawRegistrations(generation.seed, scopeOf(context)),
        {
          play: (drawn, reached) => new RegistrationPlay(context).run(drawn, reached),
          fewer: (drawn, callee) => [ofCallees(drawn, [callee])],
          tell: tellRegistrations,
        },
        generation,
      ),
    ),
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
