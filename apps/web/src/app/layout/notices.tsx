import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { dismiss, type Notice, type NoticeKind, useNotices } from '../../lib/notify.ts'
import { DoneIcon, ErrorIcon, InfoIcon, WarningIcon } from './icons.tsx'
import css from './notices.module.css'

const SIGN: Record<NoticeKind, { icon: () => React.ReactNode; colour: string }> = {
  info: { icon: InfoIcon, colour: 'var(--tw-link)' },
  success: { icon: DoneIcon, colour: 'var(--tw-success)' },
  warning: { icon: WarningIcon, colour: 'var(--tw-warning)' },
  error: { icon: ErrorIcon, colour: 'var(--tw-error)' },
}

/** The short messages of `notify`, three at most. */
export function Notices() {
  const notices = useNotices(s => s.notices)
  return (
    <div className={css.notices} role="status" aria-live="polite" data-testid="notices">
      {notices.map(notice => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

function Toast({ notice }: { notice: Notice }) {
  const { t } = useTranslation('shell')
  const { icon: Icon, colour } = SIGN[notice.kind]
  useEffect(() => {
    const timer = setTimeout(() => dismiss(notice.id), notice.durationMs)
    return () => clearTimeout(timer)
  }, [notice.id, notice.durationMs])
  return (
    <div className={css.notice} data-kind={notice.kind} data-testid="notice">
      <span style={{ color: colour, display: 'inline-flex', paddingTop: 3 }}>
        <Icon />
      </span>
      <div>
        <p>{notice.text}</p>
        {notice.detail && <code>{notice.detail}</code>}
      </div>
      <button type="button" className={css.close} aria-label={t('close')} onClick={() => dismiss(notice.id)}>
        ×
      </button>
    </div>
  )
}
