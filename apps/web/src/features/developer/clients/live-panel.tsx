import { LIVE_TOPICS } from '@thingwright/contracts/live-topics'
import { Button, Input } from 'antd'
import { type FormEvent, useId, useState } from 'react'
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

/** The live socket as a program meets it: a token first, then topics; every frame is shown as it is. */
export function LivePanel() {
  const { t } = useTranslation('developer')
  const id = useId()
  const log = useLog()
  const { state, send, connect, close } = useTokenSocket(log)
  const [topic, setTopic] = useState('devices/state')
  const [topics, setTopics] = useState<string[]>([])
  const subscribe = (event: FormEvent) => {
    event.preventDefault()
    const wanted = topic.trim()
    if (wanted === '' || state !== 'connected') return
    send({ op: 'subscribe', topics: [wanted] })
    setTopics(before => [...new Set([...before, wanted])])
  }
  return (
    <Panel
      title={t('clients.live')}
      hint={t('clients.liveHint')}
      actions={<StatusTag kind={SIGN[state]}>{t(`clients.state.${state}`)}</StatusTag>}
    >
      <div className={own.client} data-testid="live-client">
        <div className={css.controls}>
          <TokenForm
            state={state}
            onConnect={token => {
              setTopics([])
              connect('/api/v1/live', token)
            }}
            onClose={close}
          />
          <form onSubmit={subscribe}>
            <label className={css.label} htmlFor={`${id}-topic`}>
              {t('clients.liveTopic')}
            </label>
            <div className={own.row}>
              <Input
                id={`${id}-topic`}
                value={topic}
                maxLength={200}
                spellCheck={false}
                onChange={event => setTopic(event.target.value)}
              />
              <Button htmlType="submit" disabled={state !== 'connected'}>
                {t('clients.subscribe')}
              </Button>
            </div>
            {topics.length > 0 && (
              <ul className={css.chips}>
                {topics.map(each => (
                  <li key={each}>
                    <code>{each}</code>
                    <button
                      type="button"
                      className={own.chipButton}
                      disabled={state !== 'connected'}
                      aria-label={t('clients.unsubscribe', { filter: each })}
                      title={t('clients.unsubscribe', { filter: each })}
                      onClick={() => {
                        send({ op: 'unsubscribe', topics: [each] })
                        setTopics(before => before.filter(other => other !== each))
                      }}
                    >
                      ×
                    </button>
                  </li>
                ))}
              </ul>
            )}
            <p className={css.quiet}>{t('clients.liveTopics')}</p>
            <ul className={own.topicList}>
              {LIVE_TOPICS.map(({ pattern, permission }) => (
                <li key={pattern}>
                  <button type="button" className={css.nameLink} onClick={() => setTopic(pattern)}>
                    <code>{pattern}</code>
                  </button>
                  <small>{permission === 'signed-in' ? t('explorer.signedIn') : permission}</small>
                </li>
              ))}
            </ul>
          </form>
        </div>
        <MessageLog log={log} testid="live-log" />
      </div>
    </Panel>
  )
}
