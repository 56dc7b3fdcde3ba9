import type { Variant } from '../breaks.ts';
import type { Service } from './service.ts';

/** A way to break a sentence of the documents that was thought of without a look at the checks; it is no rule's own. */
export interface Mistake {
  /** The section with the sentence, as rules name theirs. */
  readonly source: string;
  /** The sentence in our own words. */
  readonly breaks: string;
  /** Whether others made it in public: docs/museum.md tells where. */
  readonly museum?: true;
  readonly variant: Variant;
  /** The sentence or the silence that excuses that no rule sees it. */
  readonly survives?: string;
  /** The proof: true where the mistake is seen, false at the right server. Each is played to a server of its own. */
  readonly shows: (service: Service) => Promise<boolean>;
}

/** By id. Of the mistakes that the same assertion of a rule sees one is kept. */
export type Mistakes = Readonly<Record<string, Mistake>>;
