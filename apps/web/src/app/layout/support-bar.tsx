import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { useSession } from '../../lib/session.ts'
import { WarningIcon } from './icons.tsx'
import css from './notices.module.css'

/** Says that a member of the company works as one of its end users, and leads him out. */
export function EnteredBar() {
  const { t } = useTranslation('shell')
  const me = useSession(s => s.me)
  if (!me?.endUser?.enteredBy) return null
  const leave = async () => (await import('../../lib/support-session.ts')).leaveCompany()
  return (
    <div className={css.strip} role="status" data-testid="entered-bar">
      <WarningIcon />
      <span>{t('entered.text', { name: me.displayName || me.username, by: me.endUser.enteredBy })}</span>
      <button type="button" className={css.stripAction} onClick={() => void leave()}>
        {t('entered.leave')}
      </button>
    </div>
  )
}

/** Says that an operator of the platform is inside a company, and leads him out. */
export function SupportBar() {
  const { t } = useTranslation('shell')
  const me = useSession(s => s.me)
  if (!me?.support) return null
  const { mayWrite, expiresAt } = me.support
  const leave = async () => (await import('../../lib/support-session.ts')).leaveCompany()
  return (
    <div className={css.strip} role="status" data-testid="support-bar">
      <WarningIcon />
      <span>
        {t(mayWrite ? 'support.writing' : 'support.reading', {
          company: me.company.name,
          until: formatDateTime(expiresAt),
        })}
      </span>
      <button type="button" className={css.stripAction} onClick={() => void leave()}>
        {t('support.leave')}
      </button>
    </div>
  )
}
