import { expect, test } from 'vitest';
import { onStage, type Stage } from './calls-host.fixture.ts';
import { smallest } from './metadata-sample.fixture.ts';

const validator = {
  ...smallest,
  id: 'check',
  extensionType: 'ExternalValidation',
  endpoint: 'check',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

test('a host that is not allowed is never called: not when it is registered, and not later', async () => {
  const allowed: string[] = ['extensions.example'];
  await onStage(
    async (stage) => {
      const { host, port } = new URL(stage.hostUrl);
      expect(await registered(stage)).toContain(`this server may not call ${host}`);
      // the name alone is that of its usual port
      allowed.push('127.0.0.1', `127.0.0.1:${Number(port) + 1}`, `localhost:${port}`);
      expect(await registered(stage)).toContain('may not call');
      allowed.push(host);
      await stage.register([validator]);
      stage.answer = () => ({ status: 200, body: '{"isValid":true,"message":""}' });
      expect(await promoted(stage)).toBe(204);
      expect(stage.arrived).toHaveLength(1);
      allowed.pop();
      // and nothing is tried again, which would take 14 s
      expect(await promoted(stage)).toBe(502);
      expect(stage.arrived).toHaveLength(1);
    },
    { allowCallees: allowed },
  );
});

async function registered({ ask, hostUrl }: Stage): Promise<string> {
  const registration = { hostUri: hostUrl, apiKey: Buffer.alloc(64, 3).toString('base64'), tokenLifeTime: 5 };
  return (await ask('cora', 'POST', '/api/admin/svcExtension', registration)).text();
}

async function promoted({ ask }: Stage): Promise<number> {
  const made = await ask('edda', 'POST', '/api/space/main/softtype/Document/documentInput', { title: 't' });
  const oid = made.headers.get('location')?.split('/').at(-1) ?? '';
  const path = `/api/space/main/maturityAction/promote/${oid}/release/engineering`;
  return (await ask('edda', 'PUT', path, undefined, { 'svc-uoiversion': '1' })).status;
}
