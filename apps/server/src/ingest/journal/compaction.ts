import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { inTransaction } from '../../lib/database/in-transaction.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import { mergeSegments, type Segment, type StoredSegment } from '../../modules/telemetry/index.ts'
import { SegmentCopy } from './segment-copy.ts'

/** Values unpacked and packed in one transaction: some milliseconds of work. */
const VALUES_AT_ONCE = 20_000
/** An hour of a property with more values stays in several segments: merging it would hold them all in memory. */
const MOST_VALUES = 200_000
/** For every millisecond of work this many of rest. */
const REST = 4

interface Group {
  device: number
  property: number
  n: number
}

interface Stored extends StoredSegment {
  device: number
  property: number
}

const SELECT_TELEMETRY_UNMERGED = sql<{
  hour: number
  sealed_at: string
}>`select hour, sealed_at::text from telemetry_unmerged where hour < $1 order by hour limit 1`

const DELETE_TELEMETRY_UNMERGED = sql`delete from telemetry_unmerged where hour = $1 and sealed_at = $2::timestamptz`

/**
 * Merges the segments of hours that are over into one per property. What is read stays the same at every moment; it is
 * read from fewer rows afterwards.
 * @param before hours since 1970: only hours before it are touched
 * @returns number of properties whose hours were merged
 */
export async function compactHours(db: pg.Pool, before: number, signal: AbortSignal): Promise<number> {
  let merged = 0
  while (!signal.aborted) {
    const { rows } = await runOn(db, SELECT_TELEMETRY_UNMERGED, [before])
    const [next] = rows
    if (!next) break
    const groups = await groupsOf(db, next.hour)
    for (const part of parts(groups)) {
      if (signal.aborted) return merged
      const began = performance.now()
      await mergePart(db, next.hour, part)
      merged += part.length
      await delay((performance.now() - began) * REST, undefined, { signal }).catch(() => {})
    }
    // Sealed again meanwhile: it stays for another round.
    await runOn(db, DELETE_TELEMETRY_UNMERGED, [next.hour, next.sealed_at])
  }
  return merged
}

const GROUPS_OF = sql<Group>`select device, property, sum(n)::int as n from telemetry where hour = $1
  group by device, property having count(*) > 1 and sum(n) <= $2 order by device, property`

async function groupsOf(db: pg.Pool, hour: number): Promise<Group[]> {
  const { rows } = await runOn(db, GROUPS_OF, [hour, MOST_VALUES])
  return rows
}

function* parts(groups: readonly Group[]): Generator<Group[]> {
  let part: Group[] = []
  let values = 0
  for (const group of groups) {
    part.push(group)
    values += group.n
    if (values < VALUES_AT_ONCE) continue
    yield part
    part = []
    values = 0
  }
  if (part.length > 0) yield part
}

const MERGE_PART = sql<Stored>`delete from telemetry t using unnest($2::int[], $3::int[]) as g (device, property)
  where t.device = g.device and t.property = g.property and t.hour = $1
  returning t.device, t.property, t.segment, t.body`

async function mergePart(db: pg.Pool, hour: number, groups: readonly Group[]): Promise<void> {
  await inTransaction(db, async client => {
    // What the deletion returns is what is merged: nothing sealed meanwhile can be missed.
    const { rows } = await runOn(client, MERGE_PART, [
      hour,
      groups.map(({ device }) => device),
      groups.map(({ property }) => property),
    ])
    const copy = new SegmentCopy(client)
    await copy.add([...byProperty(rows).values()].map(list => merge(hour, list)))
    await copy.end()
  })
}

function byProperty(rows: readonly Stored[]): Map<string, Stored[]> {
  const groups = new Map<string, Stored[]>()
  for (const row of rows) {
    const key = `${row.device}/${row.property}`
    const list = groups.get(key)
    if (list) list.push(row)
    else groups.set(key, [row])
  }
  return groups
}

function merge(hour: number, segments: readonly Stored[]): Segment {
  const { device, property } = segments[0]!
  return mergeSegments({ device, property, hour }, segments)
}
