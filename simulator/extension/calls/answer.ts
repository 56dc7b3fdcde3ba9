import type { Entry } from '../entry.ts';
import type { Step } from '../step.ts';
import type { WorkingHost } from '../working-host.ts';
import { callOf, type Call } from './call.ts';

/** What a request gets that the script leaves alone. Whatever goes wrong in here is a 500, never the end of the host. */
export async function answerTo(host: WorkingHost, entry: Entry): Promise<Step> {
  try {
    return await rightAnswer(host, entry);
  } catch (error) {
    host.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { status: 500, json: { errors: [{ message: 'The host failed.' }] } };
  }
}

async function rightAnswer(host: WorkingHost, entry: Entry): Promise<Step> {
  if (entry.kind === 'metadata') return host.behaviours.metadataAnswer(host);
  if (entry.kind === 'other')
    return host.keys.isCallback(entry) ? host.behaviours.keysAnswer(host, entry) : { status: 404 };
  const found = callOf(entry);
  if ('refusal' in found) return found.refusal;
  if (host.background.isFull) return { status: 503, headers: { 'Retry-After': '60' } };
  host.keys.learn(found.call.baseAddress);
  return answerOfKind(host, found.call);
}

function answerOfKind(host: WorkingHost, call: Call): Step | Promise<Step> {
  const { behaviours } = host;
  switch (call.kind) {
    case 'event':
      return behaviours.eventAnswer(host, call);
    case 'email':
      return behaviours.emailAnswer(call);
    case 'task':
      return behaviours.taskAnswer(host, call);
    case 'validation':
      return behaviours.validationAnswer(host, call);
    case 'action':
      return behaviours.actionAnswer(host, call);
    default:
      return { status: 404 };
  }
}
