import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import type { KeyHolder } from '../../judge/api-keys/api-keys.ts';
import type { Step } from '../../simulator/extension/step.ts';
import { stayQuiet } from '../../judge/extension/trigger-calls.ts';
import { brought } from './words.ts';

export const callbackCases = {
  'api-keys.callback.request-shape': scenario(async (context) => {
    const { given, apiKeys, notes } = context;
    const { call } = await brought(context, await given.keyHolder());
    const names = call.headers.map(([name]) => name.toLowerCase());
    notes.observe('headers of the callback', [...new Set(names)].toSorted().join(', '));
    notes.observe('content type of the callback', call.header('content-type').join(', ') || 'none');
    notes.observe('query of the callback', call.query.map(([name]) => name).join(', ') || 'none');
    notes.observe('forms of the path that the callback is signed over', call.signedOver.join(', ') || 'none');

    const taken = { status: 200 };
    const scripts = { '503 twice, then 200': [{ status: 503 }, { status: 503 }, taken], '404': [{ status: 404 }] };
    const tried = await Promise.all(
      Object.entries(scripts).map(async ([what, steps]) => ({ what, holder: await given.keyHolder(answering(steps)) })),
    );
    const replies = await Promise.all(tried.map(({ holder }) => apiKeys.acquire(holder)));
    await stayQuiet(context);
    for (const [index, { what, holder }] of tried.entries()) {
      notes.observe(`answer when the callback answers ${what}`, replies[index]?.status ?? 0, replies[index]);
      notes.observe(`attempts when it answers ${what}`, apiKeys.callbacks(holder).length);
      notes.observe(`seconds between attempts when it answers ${what}`, gapsOf(holder));
    }
  }),
} satisfies SomeCasesOf<'api-keys'>;

function answering(steps: Step[]) {
  return { script: [{ when: { kind: 'other' }, steps, afterwards: 'last' as const }] };
}

function gapsOf({ reached }: KeyHolder): string {
  const seconds = reached.gaps({ kind: 'other' }).map((gapMs) => Math.round(gapMs / 1000));
  return seconds.join(', ') || 'none';
}
