import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../../lib/crypto/crypto-box.ts'

/** What an address of firmware is good for: one attempt of one job, until then. */
export interface DownloadGrant {
  jobId: string
  packageId: string
  /** Which notice of the job it came with. */
  attempt: number
  /** Epoch seconds. */
  expires: number
}

/** What stands in an address, before its signature was checked: the package does not, so that it must be the job's own. */
export type DownloadClaim = Omit<DownloadGrant, 'packageId'>

export interface DownloadLinks {
  /** @returns the path of the address */
  sign(grant: DownloadGrant): `/${string}`
  /** @returns null for what cannot be an address of ours */
  read(token: string): DownloadClaim | null
  /** Whether the token was made for this very grant. */
  fits(token: string, grant: DownloadGrant): boolean
}

/** job 16 · attempt 2 · expiry 4 · MAC 18 */
const HEAD = 22
const MAC = 18

/** @param secretKey the installation's secret; a key of its own is derived from it */
export function createDownloadLinks(secretKey: string): DownloadLinks {
  const key = deriveKey(secretKey, 'firmware-downloads')
  const mac = ({ jobId, packageId, attempt, expires }: DownloadGrant) =>
    createHmac('sha256', key).update(`${jobId}:${packageId}:${attempt}:${expires}`).digest().subarray(0, MAC)

  return {
    sign(grant) {
      const head = Buffer.alloc(HEAD)
      head.write(grant.jobId.replaceAll('-', ''), 0, 16, 'hex')
      head.writeUInt16BE(grant.attempt & 0xffff, 16)
      head.writeUInt32BE(grant.expires, 18)
      return `/api/v1/firmware-downloads/${Buffer.concat([head, mac(grant)]).toString('base64url')}`
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length !== HEAD + MAC || bytes.toString('base64url') !== token) return null
      const id = bytes.toString('hex', 0, 16)
      return {
        jobId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
        attempt: bytes.readUInt16BE(16),
        expires: bytes.readUInt32BE(18),
      }
    },
    fits: (token, grant) => timingSafeEqual(Buffer.from(token, 'base64url').subarray(HEAD), mac(grant)),
  }
}
