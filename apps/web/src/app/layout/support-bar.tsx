import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { useSession } from '../../lib/session.ts'
import { WarningIcon } from './icons.tsx'
import css from './layout.module.css'

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
