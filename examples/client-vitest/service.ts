import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The service of the suite, with its control routes. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  /** A request to /_control/; docs/control has the description. */
  control(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** An access token of an identity, without its password. */
  token(identity: string, more?: object): Promise<string>;
}

const command = process.env['SVC_CONFORMANCE'] ?? 'npx svc-conformance';

/** Starts it on a free port. It ends when it is disposed of. */
export async function startService(): Promise<Service> {
  const child = spawn(`exec ${command} serve --control`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url, controlToken } = JSON.parse(line) as { url: string; controlToken: string };
  const control: Service['control'] = async (method, path, body) => {
    const answer = await fetch(`${url}/_control/${path}`, {
      method,
      headers: { Authorization: `Bearer ${controlToken}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  };
  return {
    url,
    control,
    token: async (identity, more) => String((await control('POST', 'tokens', { identity, ...more }))['accessToken']),
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
