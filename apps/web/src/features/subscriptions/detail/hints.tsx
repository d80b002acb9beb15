import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Alert, Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { epochOf, formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { useNow } from '../../../ui/ticker.ts'
import css from '../subscriptions.module.css'
import { reasonText } from '../words.ts'

interface Hint {
  key: string
  type: 'error' | 'warning' | 'info'
  title: string
  text?: ReactNode
  action?: ReactNode
}

/** What needs attention: why it stands still, when it tries again, what was lost, which secret ends. */
export function Hints({
  view,
  onRetry,
  busy,
}: {
  view: SubscriptionView
  onRetry: (() => void) | null
  busy: boolean
}) {
  const { t } = useTranslation('subscriptions')
  const now = useNow()
  const why = reasonText(view.lastError, t)
  const next = epochOf(view.nextTryAt)
  const hints: Hint[] = []
  if (view.state === 'paused')
    hints.push({
      key: 'paused',
      type: view.pausedReason === 'user' ? 'info' : 'error',
      title: t(`pausedBecause.${view.pausedReason ?? 'user'}`, { count: view.failures }),
      text: (
        <>
          {view.pausedReason === 'failures' && why !== '' && <div>{t('lastError', { why })}</div>}
          <div>{t('pausedCollects', { cap: formatNumber(view.backlogCap) })}</div>
        </>
      ),
    })
  else if (view.failures > 0)
    hints.push({
      key: 'failing',
      type: view.health === 'down' ? 'error' : 'warning',
      title: t('failing', { count: view.failures, why: why || t('unknownReason') }),
      text:
        next !== null && next > now
          ? t('nextTry', { time: formatDateTime(next), left: formatDuration(next - now) })
          : t('triesNow'),
      action: next !== null && next > now && onRetry !== null && (
        <Button size="small" loading={busy} onClick={onRetry}>
          {t('retryNow')}
        </Button>
      ),
    })
  else if (view.health === 'away') hints.push({ key: 'away', type: 'info', title: t('awayHint') })
  if (view.dropped > 0)
    hints.push({
      key: 'dropped',
      type: 'error',
      title: t('droppedHint', { count: view.dropped, text: formatNumber(view.dropped) }),
    })
  const overlap = epochOf(view.oldSecretUntil)
  if (overlap !== null && overlap > now)
    hints.push({ key: 'overlap', type: 'info', title: t('overlapHint', { time: formatDateTime(overlap) }) })
  if (hints.length === 0) return null
  return (
    <div className={css.hints} role="status">
      {hints.map(({ key, type, title, text, action }) => (
        <Alert
          key={key}
          type={type}
          showIcon
          action={action}
          title={
            <>
              <span>{title}</span>
              {text && <span className={css.hintText}>{text}</span>}
            </>
          }
        />
      ))}
    </div>
  )
}
