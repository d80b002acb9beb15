import { type Connection, runOn, sql } from '../../lib/sql/statement.ts'

/** A device that goes on under another number. */
export interface MovedNumber {
  from: number
  to: number
}

/** Where the values of one of its properties are kept. */
export interface MovedProperty extends MovedNumber {
  fromProperty: number
  toProperty: number
  identifier: string
}

const MOVE_VALUES = sql`update telemetry t set device = m.new, property = m.new_property
  from unnest($1::int[], $2::int[], $3::int[], $4::int[]) as m (old, new, old_property, new_property)
  where t.device = m.old and t.property = m.old_property`

const MOVE_EVENTS = sql`with gone as (
    delete from device_events e using unnest($1::int[], $2::int[]) as m (old, new)
    where e.device = m.old returning m.new, e.ts, e.lane, e.seq, e.identifier, e.level, e.params)
  insert into device_events (device, ts, lane, seq, identifier, level, params)
  select new, ts, lane, seq, identifier, level, params from gone on conflict do nothing`

const MOVE_CONNECTIONS = sql`with gone as (
    delete from device_connections c using unnest($1::int[], $2::int[]) as m (old, new)
    where c.device = m.old returning m.new, c.at, c.seq, c.kind, c.reason, c.transport, c.address)
  insert into device_connections (device, at, seq, kind, reason, transport, address)
  select new, at, seq, kind, reason, transport, address from gone on conflict do nothing`

/** What the new one reported already is newer. */
const COPY_LATEST = sql`insert into latest (device, values, updated_at)
  select m.new, json_object_agg(e.key, e.value), now()
  from unnest($1::int[], $2::int[], $3::text[]) as m (old, new, identifier)
  join latest l on l.device = m.old cross join lateral json_each(l.values) e
  where e.key = m.identifier group by m.new on conflict (device) do nothing`

/**
 * Values, events, connections and the latest values go to the other number. Values that are not sealed yet stay under the
 * old one until they are: who calls this calls it again when the hour is over.
 * @param properties those whose values go along
 */
export async function moveHistory(
  writer: Connection,
  devices: readonly MovedNumber[],
  properties: readonly MovedProperty[],
): Promise<void> {
  const oldOf = (moves: readonly MovedNumber[]) => moves.map(({ from }) => from)
  const newOf = (moves: readonly MovedNumber[]) => moves.map(({ to }) => to)
  await runOn(writer, MOVE_VALUES, [
    oldOf(properties),
    newOf(properties),
    properties.map(({ fromProperty }) => fromProperty),
    properties.map(({ toProperty }) => toProperty),
  ])
  await runOn(writer, MOVE_EVENTS, [oldOf(devices), newOf(devices)])
  await runOn(writer, MOVE_CONNECTIONS, [oldOf(devices), newOf(devices)])
  await runOn(writer, COPY_LATEST, [
    oldOf(properties),
    newOf(properties),
    properties.map(({ identifier }) => identifier),
  ])
}
