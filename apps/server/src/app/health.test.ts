import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Database } from '../lib/database/database.ts'
import { type HealthOptions, healthRoutes } from './health.ts'
import { healthReport } from './health-report.ts'

const nothing = () => new Promise<never>(() => {})

// A database behind a black hole refuses nothing: it only never answers.
describe('a part that does not answer', () => {
  it('makes /readyz say so, and holds up no other', async () => {
    const app = Fastify()
    const options: HealthOptions = {
      alive: () => true,
      checks: { database: nothing, gateway: async () => true, consumers: () => Promise.reject(new Error('broken')) },
      gauges: async () => ({}),
      metricsToken: null,
      checkWithinMs: 20,
    }
    healthRoutes(app, options)
    const reply = await app.inject('/readyz')
    expect([reply.statusCode, reply.json()]).toEqual([
      503,
      { status: 'not ready', checks: { database: 'no answer', gateway: 'ok', consumers: 'broken' } },
    ])
    await app.close()
  })

  it('is down in the report for the people who run the platform', async () => {
    const report = await healthReport({
      database: { telemetry: { query: nothing }, withSystemScope: nothing } as unknown as Database,
      dataDir: import.meta.dirname,
      version: 'x',
      gateway: { ready: () => true, metrics: async () => ({}) },
      worker: { ready: () => true, gauges: nothing },
      live: { connections: () => 0, topics: () => 0 },
      ports: () => ({}),
      withinMs: 20,
    })
    const states = Object.fromEntries(report.components.map(({ key, state }) => [key, state]))
    expect(states).toMatchObject({ database: 'down', consumers: 'down', tasks: 'down', gateway: 'ok', memory: 'ok' })
  })
})
