import { PreconditionFailed } from '../../violation.ts';
import type { Ground } from '../preflight.ts';

/**
 * Whether the service reaches the listener of the profile, shown by the metadata exchange of an extension. Undefined when it does, or when
 * that cannot be told: what is wrong with registrations is for their rules to say.
 */
export async function reachable({ given, profile }: Pick<Ground, 'given' | 'profile'>): Promise<string | undefined> {
  const { listener, identities } = profile.all;
  if (listener === undefined || identities.administrator === undefined) return undefined;
  try {
    await given.extension();
    return undefined;
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
    if (error.reply !== undefined) return undefined;
    if (!error.message.includes('metadata')) return error.message.replace('the case needs', 'the run needs');
    return `a registered extension was not asked for its metadata: let the service reach listener.publicUrl (${listener.publicUrl}) of the profile, or correct it`;
  }
}
