import type { TriggerTemplate } from '../../contract/profile/calls-out.ts';
import { type Call, type CallFilter, tells } from './call.ts';
import type { Reached, WaitOptions } from './extension.ts';

/** How the call of one trigger is recognised. */
export interface OwnCall {
  readonly kind: NonNullable<CallFilter['kind']>;
  readonly template: TriggerTemplate | undefined;
  /** Texts of what was sent, any of which shows that a call is its own; none where the profile fixes what is sent. */
  readonly marks: readonly string[];
  /** What had come before the trigger. */
  readonly before: readonly Call[];
}

/** Of several extensions that could be called the trigger, or its path, means one. */
export function namesExtension(template: TriggerTemplate | string): boolean {
  return /\{\{(?:recordId|registrationId)\}\}/.test(JSON.stringify(template));
}

/** How long after some call the one that shows what was sent is waited for, in ms. */
const graceMs = 500;

/**
 * The call of a trigger: the one that shows what was sent. Where the trigger names the extension, or nothing shows what is its own, the
 * first that had not come before will do, so that one that lost its content is judged. A service that is told no name may hand anybody's
 * call to the extension. Undefined where none comes.
 */
export async function ownCall(reached: Reached, own: OwnCall, options: WaitOptions = {}): Promise<Call | undefined> {
  const { kind, marks, before, template } = own;
  const isOwn = (call: Call): boolean => !before.includes(call) && marks.some((mark) => tells(call, mark));
  // a further attempt at what had come before is nobody else's
  const isAgain = (call: Call): boolean =>
    marks.length > 0 && before.some(({ envelope }) => envelope.id !== undefined && envelope.id === call.envelope.id);
  const isNew = (call: Call): boolean => isOwn(call) || !(before.includes(call) || isAgain(call));
  const mayBeAny = marks.length === 0 || template === undefined || namesExtension(template);
  if (!mayBeAny) return reached.arrived({ kind, where: isOwn }, options);
  const first = await reached.arrived({ kind, where: isNew }, options);
  if (first === undefined || marks.length === 0 || isOwn(first)) return first;
  return (await reached.arrived({ kind, where: isOwn }, { withinMs: graceMs })) ?? first;
}
