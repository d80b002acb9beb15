import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { takeSession } from '../step.ts'
import css from './sign-in.module.css'

/** The way into a portal by WeChat, where its company has an official account, and what came of it. */
export function WechatSignIn({
  suffix,
  outcome,
  onDone,
}: {
  suffix: string
  /** Of the address that the browser came back to; null: it did not. */
  outcome: string | null
  onDone: () => void
}) {
  const { t } = useTranslation('identity')
  const offer = useRead('wechatSignIn.offer', { params: { suffix } }, { retry: false })
  const { run: start, pending } = useAct('wechatSignIn.start', { done: ({ url }) => window.location.assign(url) })
  const [isLost, setLost] = useState(false)
  const begun = useRef(false)
  useEffect(() => {
    if (outcome !== 'ok' || begun.current) return
    begun.current = true
    takeSession().then(onDone, () => setLost(true))
  }, [outcome, onDone])
  if (offer.data?.available !== true) return null
  if (outcome === 'ok' && !isLost) return <p role="status">{t('wechat.wait')}</p>
  const failed = isLost ? 'flow_invalid' : outcome === null || outcome === 'bind' || outcome === 'ok' ? null : outcome
  const known = failed === null ? null : failed.replace(/^[a-z_]+\./, '')
  return (
    <div data-testid="wechat-sign-in">
      {outcome === 'bind' && <p role="status">{t('wechat.bind')}</p>}
      {known !== null && (
        <p role="alert">{t(`wechat.error.${KNOWN.has(known) ? known : 'other'}` as 'wechat.error.other')}</p>
      )}
      {outcome !== 'bind' && (
        <div className={css.otherWays}>
          <button
            type="button"
            className={css.otherWay}
            disabled={pending}
            onClick={() => void start({ params: { suffix } })}
          >
            {t('wechat.open')}
          </button>
        </div>
      )}
    </div>
  )
}

const KNOWN = new Set(['flow_invalid', 'refused', 'failed', 'login_frozen', 'expired', 'second_factor_required'])
