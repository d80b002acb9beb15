import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatRelative } from '../../../lib/format.ts'
import { serverNow } from '../../../lib/server-clock.ts'

const AGAIN_MS = 30_000

/** How long ago something was, the time itself on hover. (The console's own would bring the console to public pages.) */
export function When({ ms }: { ms: number }) {
  useTranslation('common')
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatDateTime(ms)}>
      {formatRelative(ms, Math.max(now, ms))}
    </time>
  )
}
