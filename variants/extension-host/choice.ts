import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Call } from '../../simulator/extension/call.ts';
import type { HostAreas } from '../../simulator/extension/host.ts';
import type { MetadataRecord } from '../../simulator/extension/metadata.ts';
import type { Step } from '../../simulator/extension/step.ts';
import { breaking, together, type Variant } from './breaks.ts';

export type HostVariant = Variant<HostAreas>;

export const breaks = breaking<HostAreas>();

/** One way to take something that the documents leave open, other than the bundled host takes it. */
export interface HostChoice {
  /** What a service meets. */
  readonly meets: string;
  readonly by?: HostVariant;
  /** What the host serves. */
  readonly records?: (records: readonly MetadataRecord[]) => readonly MetadataRecord[];
  /** What a profile says of it otherwise. */
  readonly binding?: (binding: ExtensionHostProfile) => ExtensionHostProfile;
  /** Rules for which it may show nothing to judge: their outcome says so, and the profile of such a host does. */
  readonly mayNotShow?: readonly RuleId[];
}

/** Something that the documents leave open, with ways to take it of which a host takes one. */
export interface Freedom {
  /** The silence of the ledger, or the section and what it does not say. */
  readonly open: string;
  readonly choices: readonly [HostChoice, ...HostChoice[]];
}

/** The choice that changes the answer to every call. */
export function answeringCalls(change: (step: Step, call: Call) => Step): HostVariant {
  return together(
    ...(['answerEvent', 'answerEmail', 'answerValidation', 'answerAction'] as const).map((method) =>
      breaks('calls', method, (right) => async (call) => change(await right(call), call)),
    ),
    breaks('tasks', 'answer', (right) => async (call) => change(await right(call), call)),
  );
}

/** Members of each record that are there beside, or in the place of, its own. */
export function recordsWith(more: (record: MetadataRecord, index: number) => Partial<MetadataRecord>) {
  return (records: readonly MetadataRecord[]): readonly MetadataRecord[] =>
    records.map((record, index) => ({ ...record, ...more(record, index) }));
}
