import type { AlarmLinkView } from '@thingwright/contracts/alarm-links.contract'
import { Alert, Button, Spin } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { call } from '../../lib/api-client.ts'
import { errorFacts } from '../../lib/errors.ts'
import { formatDateTime } from '../../lib/format.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import css from './contacts.module.css'

/** The form of a token in a link; a mail program may have cut it, and links in test messages have none. */
const TOKEN = /^[A-Za-z0-9_-]{20,120}$/

/**
 * Where the link of a message about an alarm leads, without a sign-in. Opening it changes nothing, because mail programs
 * open links too; the button acknowledges the alarm, once.
 */
export function AcknowledgePage() {
  const { t } = useTranslation('contacts')
  usePageTitle(t('link.title'))
  const token = useLocation().hash.slice(1)
  const isComplete = TOKEN.test(token)
  const [view, setView] = useState<AlarmLinkView | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [pending, setPending] = useState(false)
  const [isDone, setIsDone] = useState(false)
  useEffect(() => {
    let isGone = false
    setError(null)
    if (!isComplete) return
    call('alarmLinks.look', { body: { token } }).then(
      found => {
        if (!isGone) setView(found)
      },
      (cause: unknown) => {
        if (!isGone) setError(cause)
      },
    )
    return () => {
      isGone = true
    }
  }, [token, isComplete])
  const acknowledge = async () => {
    setPending(true)
    try {
      setView(await call('alarmLinks.acknowledge', { body: { token } }))
      setIsDone(true)
      setError(null)
    } catch (cause) {
      setError(cause)
    } finally {
      setPending(false)
    }
  }
  return (
    <main className={css.link} data-testid="acknowledge">
      <h1>{t('link.title')}</h1>
      {error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(error).message} />}
      {!isComplete && <Alert type="warning" showIcon role="alert" title={t('link.incomplete')} />}
      {view === null ? (
        isComplete && error === null && <Spin />
      ) : (
        <>
          {isDone ? (
            <Alert type="success" showIcon role="status" title={t('link.done')} />
          ) : (
            view.state !== 'open' && (
              <Alert
                type="info"
                showIcon
                role="status"
                title={t(`link.${view.state}`, {
                  name: view.acknowledgedName ?? '–',
                  time: view.acknowledgedAt ? formatDateTime(view.acknowledgedAt) : '',
                })}
              />
            )
          )}
          <dl className={css.facts}>
            <dt>{t('link.alarm')}</dt>
            <dd dir="auto">{view.triggerName}</dd>
            <dt>{t('link.device')}</dt>
            <dd dir="auto">{view.deviceName ?? '–'}</dd>
            <dt>{t('link.level')}</dt>
            <dd>{view.level}</dd>
            <dt>{t('link.raisedAt')}</dt>
            <dd>{formatDateTime(view.raisedAt)}</dd>
            <dt>{t('link.state')}</dt>
            <dd>{t(view.active ? 'link.active' : 'link.over')}</dd>
          </dl>
          {view.state === 'open' && !isDone && (
            <Button type="primary" size="large" block loading={pending} onClick={() => void acknowledge()}>
              {t('link.acknowledge')}
            </Button>
          )}
        </>
      )}
      <Link to="/manage/user/center/alarm">{t('link.console')}</Link>
    </main>
  )
}
