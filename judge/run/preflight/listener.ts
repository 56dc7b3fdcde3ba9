import { PreconditionFailed } from '../../violation.ts';
import type { Ground } from '../preflight.ts';

/** What keeps all rules from being judged, or only those that register something. */
interface Obstacle {
  readonly refusal?: string;
  readonly unusable?: string;
}

/**
 * Whether the service reaches the listener of the profile, shown by the metadata exchange of an extension, and tells what it registers by an id:
 * what nothing can name cannot be removed, and would disturb every case after its own. Nothing where neither can be told: what is wrong with
 * registrations is for their rules to say.
 */
export async function reachable({ given, profile }: Pick<Ground, 'given' | 'profile'>): Promise<Obstacle> {
  const { listener, identities } = profile.all;
  if (listener === undefined || identities.administrator === undefined) return {};
  try {
    await given.extension();
    return {};
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
    const { reply, message } = error;
    if (reply !== undefined) return reply.status < 300 ? { unusable: namelessSentence(reply.status) } : {};
    if (!message.includes('metadata')) return { refusal: message.replace('the case needs', 'the run needs') };
    return {
      refusal: `a registered extension was not asked for its metadata: let the service reach listener.publicUrl (${listener.publicUrl}) of the profile, or correct it`,
    };
  }
}

function namelessSentence(status: number): string {
  return `the answer to a registration (${status}) names no id by which it can be removed: bind routes.registrationIdPath of the profile`;
}
