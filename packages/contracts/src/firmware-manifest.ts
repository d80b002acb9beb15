/** What a signature of a package speaks for. */
export interface FirmwareFacts {
  productKey: string
  module: string
  version: string
  /** Of a delta, the version it starts from; null: a full package. */
  fromVersion: string | null
  /** Bytes of the file. */
  size: number
  /** Of the file, hexadecimal in lower case. */
  sha256: string
}

/**
 * The bytes (ASCII, lines ended by LF) that the Ed25519 signature (RFC 8032) of a package is made over. Product, module
 * and versions stand in it, so that a signed file cannot be passed off as another version or for another product; a
 * device checks it against the notice before it loads anything, and the hash against the file after that.
 */
export function firmwareManifest(facts: FirmwareFacts): string {
  return [
    'thingwright-firmware-1',
    facts.productKey,
    facts.module,
    facts.version,
    facts.fromVersion ?? '-',
    String(facts.size),
    facts.sha256,
    '',
  ].join('\n')
}
