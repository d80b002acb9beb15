import { Api } from '../core/api.ts'
import { databaseWork } from '../core/database-work.ts'
import { Histogram } from '../core/histogram.ts'
import type { Meter, Site } from '../core/site.ts'

/** Times of one kind of read, ms, and what it cost the database. */
export interface Reads {
  n: number
  p50: number
  p99: number
  max: number
  /** 8 KB pages a request: all, and those of journal and telemetry. */
  pages: number
  telemetryPages: number
  /** Points in an answer, on average. */
  items: number
}

const WARM_UP = 20
const TABLES = '^(telemetry|journal)_[0-9]+$'

interface Answer {
  items?: unknown[]
  series?: { points: unknown[] }[]
}

/** Reads of one kind, one after the other, each of another device. */
export async function readsOf(
  site: Site,
  meters: readonly Meter[],
  requests: number,
  path: (meter: Meter) => string,
): Promise<Reads> {
  const api = new Api(site.installation.url, 1)
  await api.signIn()
  const histogram = new Histogram()
  let items = 0
  const one = async (i: number) => {
    const answer = await api.get<Answer>(path(meters[(i * 7_919) % meters.length]!))
    items += answer.items?.length ?? answer.series?.[0]?.points.length ?? 0
  }
  for (let i = 0; i < WARM_UP; i++) await one(i)
  items = 0
  const work = await databaseWork(site, TABLES, async () => {
    for (let i = 0; i < requests; i++) {
      const began = performance.now()
      await one(i)
      histogram.record(performance.now() - began)
    }
  })
  api.close()
  const at = (percent: number) => Math.round(histogram.percentile(percent) * 100) / 100
  return {
    n: requests,
    p50: at(50),
    p99: at(99),
    max: at(100),
    pages: Math.round(work.pages / requests),
    telemetryPages: Math.round(work.watchedPages / requests),
    items: Math.round(items / requests),
  }
}
