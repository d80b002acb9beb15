import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { loadTexts } from '../../lib/i18n.ts'
import { useLiveReads } from '../../lib/live-reads.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import css from './notifications.module.css'

const InboxDrawer = lazy(async () => {
  const [module] = await Promise.all([import('./inbox-drawer.tsx'), loadTexts('notifications')])
  return { default: module.InboxDrawer }
})

/** The bell: how many notices are unread, in the colour of the gravest; opens the inbox. */
export function HeaderItem() {
  const { t } = useTranslation('shell')
  const [open, setOpen] = useState(false)
  // What was told during a cut, or while the answer was on its way, is asked for again.
  const reads = useLiveReads(['inbox'], 'notifications', () => 'again')
  const unread = useRead(
    'notifications.unread',
    {},
    { staleTime: 60_000, meta: { ownError: true }, through: reads.read },
  )
  const { count = 0, level } = unread.data ?? {}
  const label = count > 0 ? t('header.inboxUnread', { count }) : t('header.inbox')
  return (
    <>
      <button
        type="button"
        className={css.bell}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        data-testid="bell"
        onClick={() => setOpen(true)}
        onPointerEnter={() => void import('./inbox-drawer.tsx')}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
          <path
            d="M8 1.8a4.2 4.2 0 0 0-4.2 4.2c0 4-1.6 5-1.6 5h11.6s-1.6-1-1.6-5A4.2 4.2 0 0 0 8 1.8zM6.6 13.4a1.6 1.6 0 0 0 2.8 0"
            strokeWidth="1.4"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
        {count > 0 && (
          <span className={css.count} data-level={level ?? 'info'} aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </button>
      <Suspense>{open && <InboxDrawer unread={count} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
