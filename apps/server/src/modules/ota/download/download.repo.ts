import type { SystemScope } from '../../../lib/database/database.ts'
import { part, sql } from '../../../lib/sql/statement.ts'
import type { FirmwareJobName } from '../firmware.port.ts'

/** A job whose bytes may be fetched, and where they lie. */
export interface DownloadRow {
  id: string
  device: number
  campaign_id: string
  package_id: string
  attempt: number
  state: string
  object_key: string
  file_name: string
  size: number
  sha256: Buffer
  /** Kilobytes a second of the campaign's plan. */
  device_kilobytes: number | null
  total_kilobytes: number | null
}

const COLUMNS = part`j.id, j.device, j.campaign_id, j.package_id, j.attempt, j.state, p.object_key, p.file_name, p.size, p.sha256,
  (c.plan -> 'rate' ->> 'deviceKilobytes')::int as device_kilobytes,
  (c.plan -> 'rate' ->> 'totalKilobytes')::int as total_kilobytes`
const FROM = part`ota_jobs j join firmware_packages p on p.id = j.package_id join ota_campaigns c on c.id = j.campaign_id`

const DOWNLOADS_OF = sql<DownloadRow>`select ${COLUMNS} from ${FROM} where (j.id, j.device) in (select * from unnest($1::uuid[], $2::int[]))`

/** The jobs that the devices name, as far as they are their own; whatever their state. */
export async function downloadsOf(scope: SystemScope, jobs: readonly FirmwareJobName[]): Promise<DownloadRow[]> {
  const { rows } = await scope.run(DOWNLOADS_OF, [jobs.map(({ id }) => id), jobs.map(({ device }) => device)])
  return rows
}

const DOWNLOAD_OF = sql<DownloadRow>`select ${COLUMNS} from ${FROM} where j.id = $1`

export async function downloadOf(scope: SystemScope, jobId: string): Promise<DownloadRow | null> {
  const { rows } = await scope.run(DOWNLOAD_OF, [jobId])
  return rows[0] ?? null
}
