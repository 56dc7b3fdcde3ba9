import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { markdownText } from './markdown.ts';
import { pageText } from './page/page.ts';
import { printableJson } from './text.ts';
import { trafficHgrm } from './traffic-hgrm.ts';
import { trafficJunit } from './traffic-junit.ts';
import { trafficOpenMetrics } from './traffic-openmetrics.ts';
import { kneePlot } from './traffic-knee.ts';
import { latencyPlot } from './traffic-plot.ts';
import { trafficReport } from './traffic.ts';

interface TrafficFormat {
  /** Of its file, without the dot. */
  readonly extension: string;
  readonly write: (report: TrafficReport) => string;
}

/** Documents that a run of traffic can be made into. */
export const trafficFormats = {
  json: { extension: 'json', write: printableJson },
  junit: { extension: 'xml', write: trafficJunit },
  openmetrics: { extension: 'prom', write: trafficOpenMetrics },
  hgrm: { extension: 'hgrm', write: trafficHgrm },
  html: { extension: 'html', write: writeHtml },
  markdown: { extension: 'md', write: writeMarkdown },
  svg: { extension: 'svg', write: writeSvg },
} as const satisfies Record<string, TrafficFormat>;

export type TrafficFormatName = keyof typeof trafficFormats;

/** Of a search for the limit, what it found. */
function writeSvg(report: TrafficReport): string {
  return report.tried === undefined ? latencyPlot(report) : kneePlot(report);
}

function writeHtml(report: TrafficReport): string {
  return pageText(`Traffic on ${report.implementation}`, [trafficReport(report)]);
}

function writeMarkdown(report: TrafficReport): string {
  return markdownText(trafficReport(report), { level: 1, longestLine: 20_000 });
}
