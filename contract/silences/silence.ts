/** A point on which the documents say nothing, contradict themselves or leave a part out. */
export interface Silence {
  readonly id: string;
  /** Document and section in which the question comes up. */
  readonly source: string;
  /** The question. */
  readonly open: string;
  /** What the bundled reference server does, and after which convention. */
  readonly choice: string;
  /** Key or keys of the profile that bind the point for another deployment, `*` standing for any name. A key that is not set means: record. */
  readonly profile?: string | readonly string[];
  /** What the suite writes down about a deployment. */
  readonly records: string;
}

/** Those of one section, by id. */
export type SilencesOfSection = Readonly<Record<string, Omit<Silence, 'id'>>>;
