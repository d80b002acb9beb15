import { lazy, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { showError } from '../../lib/errors.ts'
import { useSession } from '../../lib/session.ts'
import { checkAccountStatus } from '../../lib/session-load.ts'
import { signOut } from '../../lib/sign-out.ts'
import { AccountFacts, useAccountState } from './account-facts.tsx'
import buttons from './buttons.module.css'
import { CLOCK, DONE, LOCK, MessagePage } from './message-page.tsx'
import css from './pages.module.css'

/** Only companies that can buy something load what it takes: the console's library and its cache stand around it. */
const BlockedPurchase = lazy(async () => {
  const [{ ConsoleFrame }, { BlockedPurchase: Purchase }] = await Promise.all([
    import('../layout/console-frame.tsx'),
    import('../../features/money/blocked-purchase.tsx'),
  ])
  return {
    default: (props: { onDone: () => void }) => (
      <ConsoleFrame>
        <Purchase {...props} />
      </ConsoleFrame>
    ),
  }
})

const KIND = { 0: 'inactive', 1: 'expired', 2: 'active' } as const
const SIGN = { inactive: LOCK, frozen: LOCK, expired: CLOCK, active: DONE }

/** The company account is not activated or frozen (0) or has expired (1): what that means and whom to ask. */
export function AccountNotActivatedPage() {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const status = useSession(s => s.accountStatus)
  useEffect(() => {
    if (status === null) checkAccountStatus().catch(showError)
  }, [status])
  const state = useAccountState()
  if (status === null) return null
  // A frozen company counts as not activated too, and reads what it really is.
  const kind = status === 0 && state?.status === 'frozen' ? 'frozen' : KIND[status]
  return (
    <MessagePage
      testid={`account-${kind}`}
      sign={SIGN[kind]}
      title={t(`account.${kind}.title`)}
      actions={
        <>
          <button type="button" className={buttons.primary} onClick={() => void navigate('/index')}>
            {t(kind === 'active' ? 'account.enter' : 'account.again')}
          </button>
          <button type="button" className={buttons.plain} onClick={() => void signOut()}>
            {t('header.signOut')}
          </button>
        </>
      }
    >
      <p className={css.text}>{t(`account.${kind}.text`)}</p>
      <AccountFacts state={state} />
      {(kind === 'inactive' || kind === 'expired') && (
        <Suspense>
          <BlockedPurchase onDone={() => void checkAccountStatus().then(() => navigate('/index'), showError)} />
        </Suspense>
      )}
    </MessagePage>
  )
}
