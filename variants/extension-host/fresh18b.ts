import { breaks } from './choice.ts';

const firsts = <T>() => {
  const kept = new Map<string, T>();
  return (key: string, value: T): T => {
    const first = kept.get(key) ?? value;
    kept.set(key, first);
    return first;
  };
};

export const fresh18bHosts = {
  'h.progress-to-the-first-job': breaks('reports', 'reportProgress', (right) => {
    const first = firsts<unknown>();
    return (task, message, signal) =>
      right({ ...task, links: first(task.baseAddress, task.links) as typeof task.links }, message, signal);
  }),
  'h.verdicts-are-kept': breaks('calls', 'answerValidation', (right) => {
    const first = firsts<unknown>();
    return async (call) => first(String(call.payload['objectId']), await right(call)) as Awaited<ReturnType<typeof right>>;
  }),
  'h.empty-results-are-not-sent': breaks('uploads', 'send', (right) => async (task, file, content, signal) => {
    if (content.size > 0) await right(task, file, content, signal);
  }),
  'h.filter-of-the-first-call': breaks('calls', 'filterHeader', (right) => {
    const first = firsts<Readonly<Record<string, string>>>();
    return (call) => first(call.baseAddress, right(call));
  }),
  'h.equal-events-are-one': breaks('background', 'start', (right) => {
    const known = new Set<string>();
    return (call, work) => {
      const key = JSON.stringify([call.baseAddress, call.payload['contentPayload']]);
      if (call.kind === 'event' && known.has(key)) return undefined;
      known.add(key);
      return right(call, work);
    };
  }),
  'h.input-with-the-first-token': breaks('tasks', 'inputRequest', (right) => {
    const first = firsts<string>();
    return (task, signal) => right({ ...task, token: first(task.baseAddress, task.token) }, signal);
  }),
  'h.results-without-the-job': breaks('uploads', 'send', (right) => (task, file, content, signal) =>
    right(task, { ...file, name: file.name.replace(/\.[0-9A-Za-z-]{8,64}\.result/, '.result') }, content, signal),
  ),
  'h.timeout-of-the-first-job': breaks('tasks', 'timeLimitMs', (right) => {
    const first = firsts<number>();
    return (payload) => first('', right(payload));
  }),
  'h.mails-that-come-again-are-refused': breaks('calls', 'answerEmail', (right) => {
    const known = new Set<string>();
    return (call) => {
      if (known.has(call.id)) return { status: 409 };
      known.add(call.id);
      return right(call);
    };
  }),
  'h.validations-that-come-again-are-refused': breaks('calls', 'answerValidation', (right) => {
    const known = new Set<string>();
    return (call) => {
      if (known.has(call.id)) return { status: 409 };
      known.add(call.id);
      return right(call);
    };
  }),
  'h.checksum-of-the-characters': breaks('uploads', 'sendText', (right) => (task, file, text, signal) =>
    right(task, file, text.slice(0, Buffer.byteLength(text, 'latin1') - (Buffer.byteLength(text) - text.length)), signal),
  ),
  'h.two-hundred-results-at-most': breaks('calls', 'batchResults', (right) => (results) => right(results.slice(0, 100))),
} as const;
