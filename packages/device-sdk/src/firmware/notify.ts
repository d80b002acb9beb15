import { parseObject } from '../json.ts'

/** What the platform wants installed: the payload of `ota/notify`. */
export interface FirmwareNotify {
  /** Of the update, named in every word about it. */
  id: string
  module: string
  version: string
  kind: 'full' | 'delta'
  /** Of a delta: the version it starts from. */
  fromVersion: string | null
  /** Bytes. */
  size: number
  /** Of the file, 64 hexadecimal digits. */
  sha256: string
  /** Ed25519 over the manifest (`manifestOf`), base64. */
  signature: string | null
  url: string | null
  /** Bytes of one chunk that the platform proposes; null: no chunks. */
  chunkBytes: number | null
  /** A person wants the older version: a rollback. */
  downgrade: boolean
}

const MAX_CHUNK = 65_536

/** Reads a notice; null for anything that is none, `{"id": null}` included. */
export function readNotify(payload: string | Record<string, unknown>): FirmwareNotify | null {
  const value = typeof payload === 'string' ? parseObject(payload) : payload
  if (!value) return null
  const { id, version, size, sha256, signature, url, module, fromVersion, kind, chunk, downgrade } = value
  if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id) || typeof version !== 'string' || version === '') return null
  if (!Number.isSafeInteger(size) || (size as number) <= 0) return null
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256)) return null
  const bytes = (chunk as { bytes?: unknown } | null | undefined)?.bytes
  return {
    id,
    module: typeof module === 'string' && module !== '' ? module : 'default',
    version,
    kind: kind === 'delta' || (kind !== 'full' && typeof fromVersion === 'string') ? 'delta' : 'full',
    fromVersion: typeof fromVersion === 'string' ? fromVersion : null,
    size: size as number,
    sha256: sha256.toLowerCase(),
    signature: typeof signature === 'string' && signature !== '' ? signature : null,
    url: typeof url === 'string' && url !== '' ? url : null,
    chunkBytes: Number.isSafeInteger(bytes) && (bytes as number) > 0 ? Math.min(bytes as number, MAX_CHUNK) : null,
    downgrade: downgrade === true,
  }
}
