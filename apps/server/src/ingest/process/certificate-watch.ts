import { createSecureContext } from 'node:tls'
import type { CertificatePems } from './certificate.ts'

/** How often the files are looked at: whoever renews a certificate meets it within a minute. */
const LOOK_EVERY_MS = 20_000

export interface CertificateWatch {
  /** What new connections meet now. */
  current(): CertificatePems
  /** Looks at the files at once. */
  look(): void
  stop(): void
}

/**
 * Looks at a certificate's files again and again and hands on what was renewed. Files that cannot be used, or of which
 * only one was renewed yet, change nothing: the certificate before them is served on, and they are looked at again.
 * @param read the files as they are now; throws when they cannot be read
 * @param onFault told once of each fault
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
