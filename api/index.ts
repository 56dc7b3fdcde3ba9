// What `import 'svc-conformance'` gives: tests of clients, extensions and services in their own process.
export { check, checkExtensionHost } from './check.ts';
export { startExtensionHost } from './extension-host.ts';
export { render } from './render.ts';
export { rules } from './rules.ts';
export { startServer } from './server.ts';
export type { Check, CheckExtensionHostOptions, CheckOptions, CheckResult, CheckSelection } from './check.ts';
export type { Duration, MovableClock, Timer } from './clock.ts';
export type { CallFilter, CallJournal, ExtensionHost, ExtensionHostOptions, HostScript } from './extension-host.ts';
export type { JournalTimeout } from './open-extension-host.ts';
export type { FaultSet } from './faults.ts';
export type { KnownRuleId } from './rule-ids.ts';
export type { ListedRule } from './rules.ts';
export type { Server, ServerOptions } from './server.ts';
export type {
  RequestFilter,
  RequestJournal,
  SeededObject,
  SeedObject,
  Service,
  ServiceOptions,
  ServiceScript,
} from './service.ts';
export type { ReceivedRequest } from '../reference-server/http/journal.ts';
export type { Area } from '../contract/areas.ts';
export type { Profile, IdentityName } from '../contract/profile.ts';
export type { ServiceAnswer, ServiceStep } from '../contract/control/script.ts';
export type { ExtensionProfile } from '../contract/profile/extension-profile.ts';
export type { Level, RuleId } from '../contract/rule.ts';
export type { Outcome, RunFooter, RunHeader, Verdict, ViolationReport } from '../judge/outcome.ts';
export type { FormatName } from '../reports/formats.ts';
export type { Run } from '../reports/run.ts';
export type { Entry } from '../simulator/extension/entry.ts';
export type { MetadataRecord } from '../simulator/extension/metadata.ts';
export type { Script } from '../simulator/extension/script.ts';
export type { ScriptedAnswer, Step } from '../simulator/extension/step.ts';
