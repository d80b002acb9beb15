import { type Runner, sql } from '../../lib/sql/statement.ts'

interface Place {
  lat: number
  lng: number
}

const LOCATE = sql`update devices set location = $2::jsonb, updated_at = now()
  where id = $1 and lifecycle <> 'recycled' and (location is null or ($3::float8 is not null
    and (location ->> 'lat')::float8 = $3 and (location ->> 'lng')::float8 = $4))`

/**
 * Moves a device on the map to where a network says that it is. A place that a person chose stays.
 * @param before where the same network had it last; null: nowhere yet
 */
export async function locateDevice(scope: Runner, id: string, at: Place, before: Place | null): Promise<void> {
  const { lat, lng } = at
  await scope.run(LOCATE, [id, JSON.stringify({ lat, lng }), before?.lat ?? null, before?.lng ?? null])
}
