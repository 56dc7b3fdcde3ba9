import { createServer } from './reference-server/server.ts';
import { loadProfile } from './suites/engine/profile/load.ts';
import { openSession, closeSession } from './suites/engine/session.ts';
import { runCase } from './suites/engine/run-case.ts';
import { caseOf } from './suites/cases.ts';
import { allRules } from './contract/rules.ts';
import { faultOf } from './reference-server/faults/faults.ts';
const started = performance.now(); const counts = {};
for (const r of allRules.filter(r=>caseOf(r.id) && r.level !== 'observe')) {
  let server; try { server = createServer({faults:[r.id], control: true}); } catch (e) { counts.nofault=(counts.nofault??0)+1; continue; }
  const url = await server.listen();
  const loaded = await loadProfile('fixtures/profile.yaml', { values: { BASE_URL: url, CONTROL_TOKEN: server.controlToken } });
  const session = openSession(loaded);
  let o; try { o = await runCase(r, caseOf(r.id), {session, seed: 1, runs: 20, deadlineMs: 30000}); } catch (e) { o = {verdict:'THROWN', reason: e.message, rule: r.id}; }
  counts[o.verdict]=(counts[o.verdict]??0)+1;
  if (!['fail','warn'].includes(o.verdict)) console.log(o.verdict, o.rule, (o.reason??'').slice(0,250));
  await closeSession(session); await server.close();
}
console.log(counts, Math.round(performance.now()-started));
process.exit(0);
