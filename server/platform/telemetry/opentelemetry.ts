import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type SpanContext } from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Closing } from '../closing.ts';
import type { Config } from '../config.ts';
import { inTime } from '../in-time.ts';
import type { Log } from '../log.ts';
import type { Tracer } from './tracer.ts';

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL };
/** Longest wait for the collector when the server closes. */
const CLOSING_MS = 2000;

interface Parts {
  config: Pick<Config, 'product' | 'role'>;
  log: Log;
  closing: Closing;
}

/** Sends spans to a collector by OTLP, in batches and in the background. Drops spans that it does not take. */
export function openTelemetry(endpoint: string, { config, log, closing }: Parts): Tracer {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.product, 'parlance.role': config.role }),
    spanProcessors: [new BatchSpanProcessor(loggingOutages(exporter, log))],
  });
  // Close after all other work has ended, before the database.
  closing.add('engine', 'traces', () => inTime(provider.shutdown(), CLOSING_MS));
  const tracer = provider.getTracer('parlance');
  return {
    isOn: true,
    start(name, kind, work, attributes = {}) {
      const id = work.requestId === undefined ? {} : { 'parlance.request_id': work.requestId };
      const span = tracer.startSpan(
        name,
        { kind: KINDS[kind], attributes: { ...id, ...attributes } },
        childContextOf(work.traceparent),
      );
      return {
        work: { ...work, traceparent: traceparentOf(span.spanContext()) },
        end({ name: known, failed, attributes: more = {} } = {}) {
          if (known !== undefined) span.updateName(known);
          span.setAttributes(more);
          if (failed !== undefined) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', failed);
          span.end();
        },
      };
    },
  };
}

/** The context for a child span. Without a valid trace context the span begins a new trace. */
function childContextOf(traceparent: string | undefined): Context {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/** Wraps an exporter; logs once when the collector stops taking spans, and once when it takes them again. */
function loggingOutages(exporter: SpanExporter, log: Log): SpanExporter {
  let isAway = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !isAway)
          log.warn({ err: result.error }, 'traces are not taken; until they are, they are dropped');
        if (!failed && isAway) log.info('traces are taken again');
        isAway = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
