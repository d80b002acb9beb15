import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../lib/i18n.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { readPreference, writePreference } from '../../lib/storage.ts'
import css from './notices.module.css'

const SEEN = 'announcements.seen'
const REREAD_MS = 5 * 60_000
/** So many closed ones are remembered. */
const REMEMBERED = 20

/** What the platform announces, until it is closed or over. */
export function Announcements() {
  const { t } = useTranslation('shell')
  const [seen, setSeen] = useState(() => readPreference<string[]>(SEEN) ?? [])
  const current = useRead('announcements.current', {}, { refetchInterval: REREAD_MS, staleTime: REREAD_MS })
  const shown = (current.data?.items ?? []).filter(item => !seen.includes(item.id)).slice(0, 2)
  const close = (id: string) => {
    const next = [...seen, id].slice(-REMEMBERED)
    writePreference(SEEN, next)
    setSeen(next)
  }
  return shown.map(item => (
    <section
      key={item.id}
      className={css.announcement}
      data-level={item.level}
      aria-label={t('announcement.label')}
      data-testid="announcement"
    >
      <p>
        <b>{item.title[locale()]}</b>
        {item.text[locale()]}
      </p>
      <button type="button" className={css.stripAction} onClick={() => close(item.id)}>
        {t('announcement.close')}
      </button>
    </section>
  ))
}
