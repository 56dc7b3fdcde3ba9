import type { SomeCasesOf } from '../../judge/case.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import { checksumOf } from '../../judge/host/signature.ts';
import { headerOf } from '../../judge/host/stage/arrival.ts';
import { chunkOf } from '../../judge/host/stage/chunk.ts';
import { ended, requestsOf, working } from './host-words.ts';

/** Method of the link of each kind of request. Source: extensions, External task links */
const methods = {
  status: 'PUT',
  progress: 'PUT',
  download: 'GET',
  directory: 'GET',
  upload: 'POST',
  chunk: 'POST',
} as const;

/** Cases about the links that a host is given for a task. */
export const hostLinkCases = {
  'tasks.host.downloads-input': hostScenario(async (context) => {
    const { samples, given, expect } = context;
    const sample = samples.task('success');
    const task = await ended(context, { sample });
    const requests = requestsOf(task);
    const uploads = requests.filter(({ kind }) => kind === 'upload' || kind === 'chunk');
    const downloads = requests.filter(({ kind }) => kind === 'download');
    if (downloads.length === 0 && uploads.length === 0)
      given.notExercised('the task neither fetched an input nor uploaded anything');
    expect(downloads.length, 'downloads through the links').toSatisfy('at least one', (count) => count > 0);
    if (sample.hasOutput !== false)
      expect(uploads.length, 'uploads through the links').toSatisfy('at least one', (count) => count > 0);
    for (const upload of uploads) {
      const bytes = upload.kind === 'chunk' ? chunkOf(upload)?.bytes : upload.bytes;
      expect(headerOf(upload, 'checksum'), `checksum of ${upload.method} ${upload.path}`, upload.seen).toEqual(
        checksumOf(bytes ?? new Uint8Array()),
      );
    }
  }),

  'tasks.host.follows-links': hostScenario(async (context) => {
    const { expect } = context;
    const task = await working(context, { unusualLinks: true });
    for (const { kind, method, path, seen } of requestsOf(task)) {
      expect(path, `path of ${kind}, whose link has another prefix`, seen).toSatisfy(
        `one that begins with ${task.task.prefix}`,
        (text) => text.startsWith(`${task.task.prefix}/`),
      );
      if (kind in methods) expect(method, `method of ${kind}`, seen).toEqual(methods[kind as keyof typeof methods]);
    }
  }),
} satisfies SomeCasesOf<'tasks'>;
