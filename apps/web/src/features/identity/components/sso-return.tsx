import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { takeSession } from '../step.ts'
import { Dialog } from './dialog.tsx'
import css from './sign-in.module.css'

const KNOWN = [
  'oidc.flow_invalid',
  'oidc.refused',
  'oidc.no_member',
  'oidc.identity_taken',
  'oidc.not_configured',
  'oidc.unreachable',
  'auth.address_refused',
]

/** The browser came back from the identity provider: takes the session, or says why there is none. */
export function SsoReturn({ outcome, onDone, onClose }: { outcome: string; onDone: () => void; onClose: () => void }) {
  const { t } = useTranslation('identity')
  const [failed, setFailed] = useState(outcome === 'ok' ? null : outcome)
  const begun = useRef(false)
  useEffect(() => {
    if (outcome !== 'ok' || begun.current) return
    begun.current = true
    takeSession().then(onDone, () => setFailed('oidc.flow_invalid'))
  }, [outcome, onDone])
  if (failed === null) return <p role="status">{t('sso.wait')}</p>
  const key = KNOWN.includes(failed) ? failed.replace(/^\w+\./, '') : 'other'
  return (
    <Dialog title={t('sso.failedTitle')} testId="sso-failed" onClose={onClose}>
      <p>{t(`sso.error.${key}`, { code: failed.slice(0, 60) })}</p>
      <button type="button" className={css.submit} onClick={onClose}>
        {t('sso.again')}
      </button>
    </Dialog>
  )
}
