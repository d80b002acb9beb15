import type { FirmwareNotice } from './firmware.port.ts'
import type { JobRow } from './jobs.rows.ts'
import type { PackageRow } from './packages.repo.ts'

/** How long the address in a notice is good. The job's end ends it too. */
export const NOTICE_MS = 7 * 24 * 3_600_000
/** What a device may ask for at a time, as the platform proposes it: small controllers have little memory. */
const CHUNK_BYTES = 4096

/** What a device is told of the package of its job's step; `attempt` of the job is this notice's already. */
export type NoticeMaker = (job: JobRow, item: PackageRow, downgrade: boolean, now: number) => FirmwareNotice

export function createNotices(deps: {
  /** @returns the path of the address */
  sign(grant: { jobId: string; packageId: string; attempt: number; expires: number }): string
  /** Where devices reach the platform, without a slash at its end. */
  baseUrl(): string
}): NoticeMaker {
  return (job, item, downgrade, now) => {
    const expires = Math.floor((now + NOTICE_MS) / 1000)
    return {
      id: job.id,
      productKey: item.productKey,
      module: job.module,
      version: item.version,
      kind: item.kind,
      fromVersion: item.fromVersion,
      size: item.size,
      sha256: item.sha256.toString('hex'),
      signature: item.signature?.toString('base64') ?? null,
      url: `${deps.baseUrl()}${deps.sign({ jobId: job.id, packageId: item.id, attempt: job.attempt, expires })}`,
      expiresAt: new Date(expires * 1000).toISOString(),
      chunk: { topic: `ota/data/${job.id}`, bytes: CHUNK_BYTES },
      ext: item.ext,
      downgrade,
    }
  }
}
