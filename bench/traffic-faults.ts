import { parseArgs } from 'node:util';
import { mapAtOnce } from '../cli/kill-matrix/map-at-once.ts';
import { loadMix } from '../cli/traffic/mix-file.ts';
import { openTrafficTarget } from '../cli/traffic/target.ts';
import type { FaultId } from '../variants/faults.ts';
import { openModel } from '../simulator/traffic/open-model.ts';
import { makeTraffic } from '../simulator/traffic/traffic.ts';
import { closeSession, openSession } from '../judge/run/session.ts';
import { breachesOf } from '../judge/model/register.ts';
import { machineLine, medianOf } from './harness/figures.ts';

/**
 * What traffic alone finds: one server for each fault and seed, the bundled mix, an end at the first violation. Prints seeds found and the
 * median time of it. The control, a server without a fault, runs the whole time with as many seeds and must show nothing.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '60' },
    lanes: { type: 'string', default: '3' },
    faults: { type: 'string', default: '' },
  },
});
const chosen: readonly (readonly [FaultId, string])[] = [
  ['versioning.race.one-writer-wins', 'lost update under race'],
  ['subtle.pages.last-removal-not-seen', 'page repeats what was removed while writes run'],
  ['subtle.first-read.short-after-removal-of-tenth', 'entry missing on a page after an edit'],
  ['subtle.objects.share-looked-up-entry', 'data of another object in a read'],
  ['caching.changed.status-200', 'stale 304'],
  ['delivery.transient.server-errors', 'dropped delivery'],
  ['delivery.success.200-sent-once', 'doubled delivery'],
  ['versioning.sequence.matches-model', 'version jumps after a conflict'],
  ['maturity.demote.version-plus-one', 'version goes back'],
  ['batch.result.keeps-order', 'batch results out of order'],
  ['subtle.chunk.second-one-survives-deletion', 'download with altered bytes'],
  ['auth.jwt.tampered-refused', 'signature of the token not checked'],
  ['auth.jwt.expired-refused', 'expiry of the token not checked'],
  ['auth.missing-token.answers-401', 'a page is served without a token'],
  ['auth.role.no-role-403', 'an object is served to somebody without a role'],
  ['caching.other-value.status-200', '304 whatever the ETag'],
  ['paging.link.pages-count', 'a page too many in the link'],
  ['paging.link.total-number', 'wrong total in the link'],
  ['paging.pages.cover-array-once', 'an entry missing or twice on the pages'],
  ['reading.system.oid-matches-route', 'another object than the one asked for'],
  ['files.download.bytes-identical', 'download differs from the upload'],
  ['batch.get.returns-read-response', 'a read in a batch without its data'],
  ['signing.bulk.wrong-path-refused', 'a bulk upload signed over another path is taken'],
  ['bulk-upload.target-directory.honoured', 'a bulk upload lands beside its target'],
  ['bulk-upload.replace-files.default-keeps', 'a bulk upload replaces what was there'],
  ['tasks.callback.missing-credential-401', 'anybody may report on a task'],
  ['tasks.callback.unknown-job-fails', 'a report on no job is taken'],
  ['tasks.progress.message-shown', 'what a task reports is dropped'],
  ['api-keys.acquire.exact-permissions', 'more keys than were asked for'],
  ['api-keys.acquire.key-shape', 'a key in another form'],
  ['api-keys.acquire.unconfigured-permission-refused', 'a key that is not allowed'],
  ['api-keys.acquire.callback-mismatch-refused', 'a key brought elsewhere'],
  ['subtle.retry.first-gap-of-events-halved', 'event tried again too early'],
];
const control = ['control', 'no fault'] as const;
/** A fault has to be found in all seeds but one of twenty. */
const leastShare = 0.95;

interface Found {
  readonly rules: readonly string[];
  readonly seconds: number;
}

const seeds = Array.from({ length: Number(values.seeds) }, (_seed, index) => index + 1);
console.log(machineLine());
console.log(
  `${seeds.length} seeds, at most ${values.seconds} s each, ${values.rate} journeys a second, ${values.lanes} servers at once\n`,
);
console.log('| fault | what it does | found | median s | longest s | rules |\n|---|---|---|---|---|---|');
let failed = 0;
for (const [fault, what] of [...chosen, control].filter(([id]) => id.includes(values.faults))) {
  const runs = await mapAtOnce(seeds, Number(values.lanes), (seed) => found(fault, seed));
  const hits = runs.filter(({ rules }) => rules.length > 0);
  const times = hits.map(({ seconds }) => seconds);
  const rules = [...new Set(hits.flatMap((hit) => hit.rules))].toSorted();
  const shown = times.length === 0 ? ['', ''] : [medianOf(times).toFixed(1), Math.max(...times).toFixed(1)];
  console.log(
    `| \`${fault}\` | ${what} | ${hits.length} of ${runs.length} | ${shown.join(' | ')} | ${rules.join(', ')} |`,
  );
  if (fault === 'control' ? hits.length > 0 : hits.length < leastShare * runs.length) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;

/** Seconds count from the first request of the load. */
async function found(fault: FaultId, seed: number): Promise<Found> {
  await using target = await openTrafficTarget(
    undefined,
    undefined,
    fault === 'control' ? [] : [fault],
    new AbortController().signal,
  );
  if (target === undefined) throw new Error('The target did not start.');
  const { loaded } = target;
  const session = openSession(loaded);
  try {
    const mix = { ...loadMix(), rampSeconds: 0 };
    const end = await makeTraffic({
      profile: loaded.profile,
      plan: {
        mix,
        load: { model: 'open', rate: Number(values.rate) },
        durationMs: Number(values.seconds) * 1000,
        rampMs: 0,
        seed,
      },
      engine: openModel,
      tokenOf: (identity) => session.tokens.of(identity),
      judging: { ratio: 1, breachesOf },
      stopsAtViolation: true,
      signal: new AbortController().signal,
    });
    return { rules: end.violations.map(({ rule }) => rule), seconds: end.engine.durationMs / 1000 };
  } finally {
    await closeSession(session);
  }
}
