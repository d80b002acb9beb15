import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { answerWithin } from './answer-within.ts'

export interface HealthOptions {
  /** What must be there before the server says it is ready; a reason when it is not. */
  checks: Record<string, () => Promise<true | string>>
  /** What must answer for this process to be called alive; a reason when it does not. */
  alive(): true | string
  /** Values read when Prometheus asks. */
  gauges(): Promise<Record<string, number>>
  metricsToken: string | null
  /** A check that says nothing for so long has failed; default 2 s. */
  checkWithinMs?: number
}

const CHECK_WITHIN_MS = 2_000

/** /healthz (this process and the gateway answer), /readyz (database, gateway, consumers), /metrics (Prometheus). */
export function healthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'thingwright_' })
  const gauges = new Map<string, Gauge>()

  app.get('/healthz', { schema: { hide: true } }, async (_request, reply) => {
    const alive = options.alive()
    if (alive === true) return { status: 'ok' }
    reply.status(503)
    return { status: alive }
  })
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const results = await Promise.all(
      Object.entries(options.checks).map(async ([name, check]) => {
        const result = await answerWithin(options.checkWithinMs ?? CHECK_WITHIN_MS, check()).catch(
          (error: Error) => error.message || 'failed',
        )
        return [name, result === true ? 'ok' : result] as const
      }),
    )
    const ready = results.every(([, result]) => result === 'ok')
    reply.status(ready ? 200 : 503)
    return { status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(results) }
  })
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!mayRead(request, options.metricsToken)) return reply.callNotFound()
    for (const [name, value] of Object.entries(await options.gauges())) {
      const metric = `thingwright_${name
        .replaceAll(/[^A-Za-z0-9]+/g, '_')
        .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
        .toLowerCase()}`
      let gauge = gauges.get(metric)
      if (!gauge) {
        gauge = new Gauge({ name: metric, help: name, registers: [registry] })
        gauges.set(metric, gauge)
      }
      gauge.set(value)
    }
    reply.type(registry.contentType)
    return registry.metrics()
  })
}

/** The machine itself may read; others only with the token. A forwarded request is never the machine itself. */
function mayRead(request: FastifyRequest, token: string | null): boolean {
  const given = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token && given) {
    const a = Buffer.from(given)
    const b = Buffer.from(token)
    if (a.length === b.length && timingSafeEqual(a, b)) return true
  }
  const peer = request.raw.socket.remoteAddress ?? ''
  const forwarded = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined
  return !forwarded && (peer === '127.0.0.1' || peer === '::1' || peer === '::ffff:127.0.0.1')
}
