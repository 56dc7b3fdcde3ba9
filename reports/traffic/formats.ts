import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { printableJson } from '../text.ts';
import { trafficMarkdown } from './markdown.ts';
import { latencyPlot } from './svg.ts';

/** Documents that a run of traffic can be made into. */
export const trafficFormats = {
  json: printableJson,
  markdown: trafficMarkdown,
  svg: latencyPlot,
} as const satisfies Record<string, (report: TrafficReport) => string>;

export type TrafficFormatName = keyof typeof trafficFormats;
