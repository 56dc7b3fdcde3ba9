import { identitiesIn } from '../roles.ts';
import type { Caller } from '../../contract/coverage/routes.ts';
import type { IdentityName } from '../../contract/profile.ts';
import { tokenVariable } from '../curl/variables.ts';
import type { LoadedProfile } from '../profile/load.ts';
import type { Secrets } from '../redact.ts';
import { decodeSegment } from '../requests.ts';
import { secretsOf } from '../redact/profile-secrets.ts';

/** Form of a credential. */
type Credential = 'jwt' | 'pat' | 'basic' | 'stranger' | 'none';

/** Who sends a request, as far as its credential shows. */
export interface Sender {
  readonly who: Caller;
  readonly credential: Credential;
}

const nobody: Sender = { who: 'nobody', credential: 'none' };
const stranger: Sender = { who: 'stranger', credential: 'stranger' };
const mostRemembered = 1000;

/** Tells by credentials who sends. */
export class Callers {
  readonly #secrets: Secrets;
  readonly #byVariable = new Map<string, Sender>();
  readonly #byUser = new Map<string, IdentityName>();
  /** A run uses few credentials, each for many requests. */
  readonly #remembered = new Map<string, Sender>();

  constructor(loaded: LoadedProfile, secrets: Secrets) {
    this.#secrets = secrets;
    const names = identitiesIn(loaded.profile);
    const variables = new Map(secretsOf(loaded).map(({ path, variable }) => [path, variable]));
    for (const who of names) {
      const { username, token } = loaded.profile.identities[who] ?? {};
      this.#byVariable.set(tokenVariable(who), { who, credential: 'jwt' });
      this.#note(variables.get(`identities.${who}.pat`), { who, credential: 'pat' });
      const isJwt = token === undefined || token.split('.').length === 3;
      this.#note(variables.get(`identities.${who}.token`), { who, credential: isJwt ? 'jwt' : 'pat' });
      if (username !== undefined) this.#byUser.set(username, who);
    }
  }

  /** @param authorization value of the header @param query with its question mark */
  senderOf(authorization: string | undefined, query: string): Sender {
    if (authorization !== undefined) return this.#told(authorization);
    const token = /[?&]token=([^&]*)/.exec(query)?.[1];
    return token === undefined ? nobody : this.#told(`Bearer ${decodeSegment(token)}`);
  }

  #told(authorization: string): Sender {
    const known = this.#remembered.get(authorization);
    if (known !== undefined) return known;
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    const sender = this.#lookUp(authorization);
    this.#remembered.set(authorization, sender);
    return sender;
  }

  #lookUp(authorization: string): Sender {
    const [, scheme = '', text = ''] = /^(\S+) +(.*)$/s.exec(authorization) ?? [];
    if (scheme.toLowerCase() === 'basic') {
      const [user = ''] = Buffer.from(text, 'base64').toString().split(':');
      const who = this.#byUser.get(user);
      return who === undefined ? stranger : { who, credential: 'basic' };
    }
    const variable = this.#secrets.nameOf(text) ?? '';
    if (/SIGNATURE|API_KEY/.test(variable)) return { who: 'key', credential: 'stranger' };
    return this.#byVariable.get(variable) ?? stranger;
  }

  #note(variable: string | undefined, sender: Sender): void {
    if (variable !== undefined) this.#byVariable.set(variable, sender);
  }
}
