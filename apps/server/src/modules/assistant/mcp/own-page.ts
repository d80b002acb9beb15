/**
 * Whether a browser's page is one of this installation. With PUBLIC_URL only that address is; without it a page at the
 * address that was asked, but only by number or as localhost: a name could have been pointed here by a stranger
 * (DNS rebinding).
 */
export function ownPage({
  origin,
  host,
  publicUrl,
}: {
  origin: string
  host: string
  publicUrl: string | null
}): boolean {
  const from = URL.canParse(origin) ? new URL(origin) : null
  if (!from || !/^https?:$/.test(from.protocol)) return false
  if (publicUrl !== null) return from.origin === new URL(publicUrl).origin
  return from.host === host && (from.hostname === 'localhost' || isNumber(from.hostname))
}

const isNumber = (hostname: string) => /^(\d{1,3}\.){3}\d{1,3}$/.test(hostname) || /^\[[0-9a-f:.]+\]$/.test(hostname)
