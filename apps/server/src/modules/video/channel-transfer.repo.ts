import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

/** A camera as what shows it names it in the file of a company: by what its vendor calls it, so that it is found again. */
export interface NamedCamera {
  id: string
  name: string
  /** Of the vendor; null: the camera is an address, which stays at home because it can hold a password. */
  serial: string | null
  channelNo: number | null
}

const NAMED = sql<NamedCamera>`select id, name, serial, channel_no as "channelNo" from video_channels
  where id = any ($1::uuid[])`

/** The given ids of channels that the caller sees. */
export async function namedCameras(scope: TenantScope, ids: readonly string[]): Promise<NamedCamera[]> {
  return ids.length === 0 ? [] : (await scope.run(NAMED, [ids])).rows
}

const SAME = sql<{ id: string }>`select id from video_channels where serial = $1 and channel_no = $2`

/** The camera of the vendor that has this serial number and channel here. */
export async function sameCamera(
  scope: TenantScope,
  { serial, channelNo }: Pick<NamedCamera, 'serial' | 'channelNo'>,
): Promise<string | undefined> {
  return serial === null ? undefined : (await scope.run(SAME, [serial, channelNo])).rows[0]?.id
}
