import { withCorrelationId } from '../../judge/requests.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { CalledType } from '../../judge/extension/call.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { action, event, lasting, validation, type Made } from './triggered-calls.ts';

/** A type of call that the profile can trigger. */
export interface Way {
  readonly type: CalledType;
  /** Triggers one call at an extension that has one record of each type. */
  readonly call: (extension: Extension, id: string) => Promise<Made>;
}

/** The types of calls that the profile can trigger. */
export function ways(context: CaseContext): readonly Way[] {
  const { triggers, given, profile } = context;
  const { triggers: bound, routes, softTypes } = profile.all;
  const hasType = softTypes?.primary !== undefined;
  const all: readonly (Way & { readonly isBound: boolean })[] = [
    {
      type: 'ExternalEvent',
      isBound: bound?.event !== undefined,
      call: (extension, id) => event(context, extension, withCorrelationId(id)),
    },
    {
      type: 'ExternalValidation',
      isBound: hasType && bound?.validation !== undefined && routes?.registrationDelete !== undefined,
      call: async (extension, id) => validation(context, extension, await given.object(), { id }),
    },
    {
      type: 'ExternalTask',
      isBound: bound?.task !== undefined,
      call: async (extension, id) => {
        const triggered = await triggers.task(extension, {}, withCorrelationId(id));
        return { triggered, call: await extension.call({ kind: 'task', about: triggered }) };
      },
    },
    {
      type: 'Email',
      isBound: bound?.email !== undefined,
      call: async (extension, id) => {
        const triggered = await triggers.email(extension, {}, withCorrelationId(id));
        return { triggered, call: await extension.call({ kind: 'email', about: triggered }) };
      },
    },
    {
      type: 'ExternalAction',
      isBound: hasType && (bound?.actionRibbon !== undefined || bound?.actionForm !== undefined),
      call: async (extension, id) =>
        action(context, extension, { thing: await given.object(), changes: withCorrelationId(id) }),
    },
  ];
  return all.filter(({ isBound }) => isBound);
}

/** An extension with a record of each of these types. */
export function extensionFor(context: CaseContext, of: readonly Way[]): Promise<Extension> {
  return lasting(context, { types: of.map(({ type }) => type) });
}
