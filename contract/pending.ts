/** Rules whose case is not built yet: shown as such by `rules` and by every report, never as passed. This list shrinks to nothing. */
export const pending = [] as const;

export type Pending = (typeof pending)[number];
