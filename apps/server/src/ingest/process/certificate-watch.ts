import { createSecureContext } from 'node:tls'
import type { CertificatePems } from './certificate.ts'

/** How often the files are read: a renewed certificate is served within a minute. */
const LOOK_EVERY_MS = 20_000

export interface CertificateWatch {
  /** The certificate that new connections get now. */
  current(): CertificatePems
  /** Reads the files now. */
  look(): void
  stop(): void
}

/**
 * Reads the files of a certificate regularly and reports a renewed one. Files that cannot be used, or of which only one is
 * renewed yet, change nothing: the last usable certificate is kept, and the files are read again.
 * @param read the files as they are now; throws when they cannot be read
 * @param onFault called once for each fault
 */
export function watchCertificate(options: {
  read(): CertificatePems
  onRenewed(pems: CertificatePems): void
  onFault(error: Error): void
  everyMs?: number
}): CertificateWatch {
  let current = options.read()
  let lastFault = ''
  function look(): void {
    try {
      const found = options.read()
      if (found.cert === current.cert && found.key === current.key) return
      // Throws for a key of another certificate.
      createSecureContext(found)
      current = found
      lastFault = ''
      options.onRenewed(found)
    } catch (error) {
      const fault = error as Error
      if (fault.message !== lastFault) options.onFault(fault)
      lastFault = fault.message
    }
  }
  const timer = setInterval(look, options.everyMs ?? LOOK_EVERY_MS)
  timer.unref()
  return { current: () => current, look, stop: () => clearInterval(timer) }
}
