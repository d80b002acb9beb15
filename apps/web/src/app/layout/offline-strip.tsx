import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLiveState } from '../../lib/live-socket.ts'
import { WarningIcon } from './icons.tsx'
import css from './notices.module.css'

/** Short cuts (a refreshed token, a server restart) are not worth a word. */
const TOLERATED_MS = 3000

/** The amber strip while the live connection is down: what is shown may be old. */
export function OfflineStrip() {
  const { t } = useTranslation('shell')
  const state = useLiveState(s => s.state)
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (state !== 'reconnecting') {
      if (state === 'live' || state === 'idle') setShown(false)
      return
    }
    const timer = setTimeout(() => setShown(true), TOLERATED_MS)
    return () => clearTimeout(timer)
  }, [state])
  if (!shown) return null
  return (
    <div className={css.strip} role="status" data-testid="offline-strip">
      <WarningIcon />
      {t('live.strip')}
    </div>
  )
}
