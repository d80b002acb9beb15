import type { Database } from '../../../lib/database/database.ts'
import type { ObjectStore } from '../../media/index.ts'
import type { FirmwareDesk } from '../firmware.port.ts'
import { type DownloadRow, downloadsOf } from './download.repo.ts'
import { isUnderWay } from './download.service.ts'

export interface FirmwareDeskDeps {
  database: Database
  store: ObjectStore
  /** What a device that asks by itself is to install: the payload of its notice; null: nothing. */
  pull(device: number, module: string): Promise<Record<string, unknown> | null>
}

/** Longest piece of an object that is handed over at once. */
const MOST = 1024 * 1024

/** Answers what the gateway asks about firmware on behalf of devices. */
export function createFirmwareDesk({ database, store, pull }: FirmwareDeskDeps): FirmwareDesk {
  return {
    async downloads(jobs) {
      const rows = await database.withSystemScope('ota', scope => downloadsOf(scope, jobs))
      const open = new Map(rows.filter(row => isUnderWay(row)).map(row => [`${row.device}/${row.id}`, row]))
      return jobs.map(({ device, id }) => {
        const row = open.get(`${device}/${id.toLowerCase()}`)
        return row ? toDownload(row) : null
      })
    },
    async bytes(key, start, end) {
      if (end - start >= MOST) throw new RangeError('too many bytes at once')
      const object = await store.get(key, { start, end })
      if (!object) return null
      const parts: Buffer[] = []
      for await (const part of object.body as AsyncIterable<Buffer>) parts.push(part)
      return Buffer.concat(parts)
    },
    pull,
  }
}

function toDownload(row: DownloadRow) {
  const bytes = (kilobytes: number | null) => (kilobytes === null ? null : kilobytes * 1024)
  return {
    id: row.id,
    campaignId: row.campaign_id,
    key: row.object_key,
    size: row.size,
    perDevice: bytes(row.device_kilobytes),
    perCampaign: bytes(row.total_kilobytes),
  }
}
