import type { Clean } from '../outlet.ts';
import { messageOf } from '../../contract/thrown.ts';
import type { RunHeader, Outcome, Verdict } from '../../judge/outcome.ts';
import type { RuleTrace } from '../../judge/run/run.ts';
import type { ExchangeSpan } from '../../judge/case/trace.ts';
import { foundInWords } from '../../reports/text.ts';

/** A run with what its cases sent. */
export interface TracedRun {
  readonly header: RunHeader;
  readonly outcomes: readonly Outcome[];
  readonly traces: readonly RuleTrace[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const protocol = 'http/protobuf';
/** In one message to the collector. */
const spansAtOnce = 512;

/** Whether the environment names a collector, as that of every other program does. */
export function isExportWanted(environment: Environment = process.env): boolean {
  const exporters = environment['OTEL_TRACES_EXPORTER'] ?? 'otlp';
  return (
    stated(environment, 'ENDPOINT') !== undefined &&
    environment['OTEL_SDK_DISABLED']?.toLowerCase() !== 'true' &&
    exporters.split(',').some((name) => name.trim() === 'otlp')
  );
}

function stated(environment: Environment, name: string): string | undefined {
  const value = environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`] ?? environment[`OTEL_EXPORTER_OTLP_${name}`];
  return value === '' ? undefined : value;
}

/** Sends one span a rule, and below it one an exchange, to the collector. Returns a sentence where that fails: a run is as whole without. */
export async function exportTraces(
  run: Clean<TracedRun>,
  environment: Environment = process.env,
): Promise<readonly string[]> {
  const named = stated(environment, 'PROTOCOL') ?? protocol;
  if (named !== protocol)
    return [`no trace is exported: expected ${protocol} in OTEL_EXPORTER_OTLP_PROTOCOL, found ${named}`];
  const sdk = await loadSdk();
  if (sdk === undefined)
    return [
      'no trace is exported, as OTEL_EXPORTER_OTLP_ENDPOINT asks for: npm install @opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/exporter-trace-otlp-proto',
    ];
  const exporter = new sdk.OTLPTraceExporter();
  const spans = spansOf(run.value, sdk);
  try {
    for (let at = 0; at < spans.length; at += spansAtOnce)
      await new Promise<void>((resolve, reject) =>
        exporter.export(spans.slice(at, at + spansAtOnce), ({ code, error }) =>
          code === 0 ? resolve() : reject(error ?? new Error('the collector does not take it')),
        ),
      );
    return [];
  } catch (error) {
    return [`not every trace is exported: ${messageOf(error)}`];
  } finally {
    await exporter.shutdown();
  }
}

type Sdk = NonNullable<Awaited<ReturnType<typeof loadSdk>>>;

/** Undefined where it is not installed. */
async function loadSdk() {
  try {
    const [api, trace, resources, exporter] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
    ]);
    return { ...api, ...trace, ...resources, OTLPTraceExporter: exporter.OTLPTraceExporter };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function spansOf({ header, outcomes, traces }: TracedRun, sdk: Sdk) {
  const ended: Parameters<InstanceType<Sdk['OTLPTraceExporter']>['export']>[0] = [];
  let [traceId, spanId] = ['', ''];
  const { implementation, suiteVersion, seed, baseUrl } = header;
  const own = sdk.resourceFromAttributes({
    'service.name': 'svc-conformance',
    'service.version': suiteVersion,
    'svc_conformance.implementation': implementation,
    'svc_conformance.base_url': baseUrl,
    'svc_conformance.seed': seed,
  });
  const stated = sdk.detectResources({ detectors: [sdk.envDetector] });
  const provider = new sdk.TracerProvider({
    resource: sdk.defaultResource().merge(own).merge(stated),
    // the service was told these ids while it was judged
    idGenerator: { generateTraceId: () => traceId, generateSpanId: () => spanId },
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [
      {
        onStart: () => undefined,
        onEnd: (span) => void ended.push(span),
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
      },
    ],
  });
  const tracer = provider.getTracer('svc-conformance', suiteVersion);
  const byRule = new Map(outcomes.map((outcome) => [outcome.rule, outcome]));
  for (const trace of traces) {
    const outcome = byRule.get(trace.rule);
    // what was not asked for, and what did not come to its end
    if (outcome === undefined) continue;
    [traceId, spanId] = [trace.id, trace.rootSpanId];
    const root = tracer.startSpan(
      trace.rule,
      { startTime: timeOf(trace.startedAt), attributes: attributesOf(trace.rule, outcome), root: true },
      sdk.ROOT_CONTEXT,
    );
    root.setStatus(statusOf(outcome, sdk));
    const below = sdk.trace.setSpan(sdk.ROOT_CONTEXT, root);
    for (const exchange of trace.spans) {
      spanId = exchange.id;
      const { startedAt, durationMs, error } = exchange;
      const span = tracer.startSpan(
        exchange.method,
        { startTime: timeOf(startedAt), kind: sdk.SpanKind.CLIENT, attributes: exchangeAttributes(exchange) },
        below,
      );
      if (error !== undefined) span.setStatus({ code: sdk.SpanStatusCode.ERROR, message: error });
      span.end(timeOf(startedAt + durationMs));
    }
    root.end(timeOf(trace.endedAt));
  }
  return ended;
}

function timeOf(ms: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.floor((ms - seconds * 1000) * 1e6)];
}

/** Names of the conventions where they have one. */
function attributesOf(rule: string, { verdict, reason, violation }: Outcome): Record<string, string | number> {
  const results: Readonly<Partial<Record<Verdict, string>>> = { pass: 'pass', fail: 'fail' };
  const result = results[verdict];
  return {
    'test.case.name': rule,
    ...(result !== undefined && { 'test.case.result.status': result }),
    'svc_conformance.verdict': verdict,
    ...(reason !== undefined && { 'svc_conformance.reason': reason }),
    ...(violation && {
      'svc_conformance.expected': violation.expected,
      'svc_conformance.actual': violation.actual,
    }),
  };
}

function statusOf({ verdict, reason, violation }: Outcome, { SpanStatusCode }: Sdk) {
  if (verdict === 'pass') return { code: SpanStatusCode.OK };
  if (verdict !== 'fail' && verdict !== 'warn' && verdict !== 'broken') return { code: SpanStatusCode.UNSET };
  return { code: SpanStatusCode.ERROR, message: foundInWords(violation) ?? reason ?? verdict };
}

function exchangeAttributes({ method, url, status, error }: ExchangeSpan): Record<string, string | number> {
  return {
    'http.request.method': method,
    'url.full': url,
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(error !== undefined && { 'error.type': 'no answer' }),
  };
}
