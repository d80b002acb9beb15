import { Alert, Button, Input } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../../ui/panel.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from '../developer.module.css'
import own from './clients.module.css'
import { MessageLog } from './message-log.tsx'
import { TokenForm } from './token-form.tsx'
import { useLog } from './use-log.ts'
import { useTokenSocket } from './use-token-socket.ts'

const SIGN = { closed: 'offline', connecting: 'processing', connected: 'online' } as const

/** The stream of a data subscription as its receiver meets it; items count as delivered only when they are acknowledged. */
export function StreamPanel() {
  const { t } = useTranslation('developer')
  const id = useId()
  const log = useLog()
  const [subscription, setSubscription] = useState('')
  const [cursor, setCursor] = useState<number | null>(null)
  const { state, connect, send, close } = useTokenSocket(log, frame => {
    if (frame.op === 'items' && typeof frame.cursor === 'number') setCursor(frame.cursor)
  })
  const name = subscription.trim()
  return (
    <Panel
      title={t('clients.stream')}
      hint={t('clients.streamHint')}
      actions={<StatusTag kind={SIGN[state]}>{t(`clients.state.${state}`)}</StatusTag>}
    >
      <div className={own.client} data-testid="stream-client">
        <div className={css.controls}>
          <TokenForm
            state={state}
            ready={name !== ''}
            onConnect={token => {
              setCursor(null)
              connect(`/api/v1/subscriptions/${encodeURIComponent(name)}/stream`, token)
            }}
            onClose={close}
          >
            <label className={css.label} htmlFor={`${id}-subscription`}>
              {t('clients.subscription')}
            </label>
            <Input
              id={`${id}-subscription`}
              value={subscription}
              disabled={state !== 'closed'}
              maxLength={64}
              spellCheck={false}
              autoComplete="off"
              onChange={event => setSubscription(event.target.value)}
            />
          </TokenForm>
          <div>
            <Button
              disabled={state !== 'connected' || cursor === null}
              onClick={() => {
                send({ op: 'ack', cursor })
                setCursor(null)
              }}
            >
              {cursor === null ? t('clients.acknowledge') : t('clients.acknowledgeTo', { cursor })}
            </Button>
          </div>
          <Alert type="info" showIcon title={t('clients.ackNote')} />
        </div>
        <MessageLog log={log} testid="stream-log" />
      </div>
    </Panel>
  )
}
