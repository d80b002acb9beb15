import { type Connection, part, runOn, sql } from '../../lib/sql/statement.ts'

const DELETE = [
  part`telemetry`,
  part`latest`,
  part`device_events`,
  part`device_connections`,
  part`device_stats`,
  part`refused_frames`,
  part`device_sessions`,
  part`mqtt_sessions`,
  part`mqtt_inbound`,
  part`mqtt_outbound`,
  part`journal`,
].map(table => sql`delete from ${table} where device = $1`)

/** Deletes everything the device path keeps of a device. Repeatable; the journal's rows go with their partitions at the latest. */
export async function purgeDevice(writer: Connection, deviceNum: number): Promise<void> {
  for (const statement of DELETE) await runOn(writer, statement, [deviceNum])
}
