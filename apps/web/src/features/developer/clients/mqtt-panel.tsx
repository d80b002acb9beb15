import { Alert, Button, Input, Segmented } from 'antd'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../../ui/panel.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from '../developer.module.css'
import own from './clients.module.css'
import { MessageLog } from './message-log.tsx'
import { type MqttLink, openMqtt } from './mqtt-link.ts'
import { suggestedTopics } from './suggested-topics.ts'
import { useLog } from './use-log.ts'

type State = 'closed' | 'connecting' | 'connected'
const SIGN = { closed: 'offline', connecting: 'processing', connected: 'online' } as const
const QOS = [0, 1, 2] as const

const problem = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** A device, or the reader of a data subscription, played by this page: MQTT over WebSocket. */
export function MqttPanel() {
  const { t } = useTranslation('developer')
  const id = useId()
  const log = useLog()
  const { add } = log
  const link = useRef<MqttLink | null>(null)
  const [state, setState] = useState<State>('closed')
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [version, setVersion] = useState<4 | 5>(5)
  const [filter, setFilter] = useState('')
  const [filters, setFilters] = useState<string[]>([])
  const [topic, setTopic] = useState('')
  const [body, setBody] = useState('{"temperature": 21.5}')
  const [qos, setQos] = useState<0 | 1 | 2>(1)
  useEffect(() => () => link.current?.close(), [])
  const suggested = suggestedTopics(username)

  const connect = async (event: FormEvent) => {
    event.preventDefault()
    if (state !== 'closed') return
    setFilters([])
    try {
      link.current = await openMqtt(
        { username: username.trim(), password, protocolVersion: version },
        {
          onState: now => {
            setState(now)
            add({ kind: 'note', title: t(`clients.state.${now}`) })
            if (now === 'closed') link.current = null
          },
          onMessage: (name, text, detail) => add({ kind: 'in', title: name, body: text, detail }),
          onProblem: text => add({ kind: 'error', title: text }),
        },
      )
    } catch (error) {
      setState('closed')
      add({ kind: 'error', title: problem(error) })
    }
  }
  const subscribe = async (event: FormEvent) => {
    event.preventDefault()
    const wanted = (filter || suggested.subscribe).trim()
    if (wanted === '' || !link.current) return
    try {
      const granted = await link.current.subscribe(wanted, qos)
      if (granted > 2) return add({ kind: 'error', title: t('clients.subscribeRefused', { filter: wanted }) })
      setFilters(before => [...new Set([...before, wanted])])
      setFilter('')
      add({ kind: 'note', title: t('clients.subscribed', { filter: wanted, qos: granted }) })
    } catch (error) {
      add({ kind: 'error', title: t('clients.subscribeRefused', { filter: wanted }), detail: problem(error) })
    }
  }
  const unsubscribe = async (which: string) => {
    try {
      await link.current?.unsubscribe(which)
      setFilters(before => before.filter(each => each !== which))
    } catch (error) {
      add({ kind: 'error', title: problem(error) })
    }
  }
  const publish = async (event: FormEvent) => {
    event.preventDefault()
    const to = (topic || suggested.publish).trim()
    if (to === '' || !link.current) return
    add({ kind: 'out', title: to, body, detail: `QoS ${qos}` })
    try {
      await link.current.publish(to, body, qos)
      if (qos > 0) add({ kind: 'note', title: t('clients.acknowledged', { topic: to }) })
    } catch (error) {
      add({ kind: 'error', title: t('clients.publishRefused', { topic: to }), detail: problem(error) })
    }
  }
  const open = state !== 'closed'
  return (
    <Panel
      title={t('clients.mqtt')}
      hint={t('clients.mqttHint')}
      actions={<StatusTag kind={SIGN[state]}>{t(`clients.state.${state}`)}</StatusTag>}
    >
      <div className={own.client} data-testid="mqtt-client">
        <div className={css.controls}>
          <form onSubmit={connect}>
            <label className={css.label} htmlFor={`${id}-user`}>
              {t('clients.username')}
            </label>
            <Input
              id={`${id}-user`}
              value={username}
              disabled={open}
              maxLength={256}
              autoComplete="off"
              spellCheck={false}
              placeholder="PRODUCT/DEVICE"
              onChange={event => setUsername(event.target.value)}
            />
            <label className={css.label} htmlFor={`${id}-password`}>
              {t('clients.password')}
            </label>
            <Input.Password
              id={`${id}-password`}
              value={password}
              disabled={open}
              maxLength={512}
              autoComplete="off"
              onChange={event => setPassword(event.target.value)}
            />
            <p className={css.quiet}>{t('clients.mqttWho')}</p>
            <div className={css.sendRow}>
              <Segmented
                aria-label={t('clients.version')}
                size="small"
                disabled={open}
                value={version}
                options={[
                  { value: 5 as const, label: 'MQTT 5.0' },
                  { value: 4 as const, label: '3.1.1' },
                ]}
                onChange={value => setVersion(value)}
              />
              {open ? (
                <Button onClick={() => link.current?.close()}>{t('clients.disconnect')}</Button>
              ) : (
                <Button type="primary" htmlType="submit" disabled={username.trim() === ''}>
                  {t('clients.connect')}
                </Button>
              )}
            </div>
          </form>
          <form onSubmit={subscribe}>
            <label className={css.label} htmlFor={`${id}-filter`}>
              {t('clients.filter')}
            </label>
            <div className={own.row}>
              <Input
                id={`${id}-filter`}
                value={filter}
                maxLength={512}
                spellCheck={false}
                placeholder={suggested.subscribe}
                onChange={event => setFilter(event.target.value)}
              />
              <Button htmlType="submit" disabled={state !== 'connected'}>
                {t('clients.subscribe')}
              </Button>
            </div>
            {filters.length > 0 && (
              <ul className={css.chips}>
                {filters.map(each => (
                  <li key={each}>
                    <code>{each}</code>
                    <button
                      type="button"
                      className={own.chipButton}
                      aria-label={t('clients.unsubscribe', { filter: each })}
                      title={t('clients.unsubscribe', { filter: each })}
                      onClick={() => void unsubscribe(each)}
                    >
                      ×
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </form>
          <form onSubmit={publish}>
            <label className={css.label} htmlFor={`${id}-topic`}>
              {t('clients.topic')}
            </label>
            <Input
              id={`${id}-topic`}
              value={topic}
              maxLength={512}
              spellCheck={false}
              placeholder={suggested.publish}
              onChange={event => setTopic(event.target.value)}
            />
            <Input.TextArea
              aria-label={t('clients.body')}
              className={css.json ?? ''}
              autoSize={{ minRows: 3, maxRows: 8 }}
              maxLength={65_536}
              spellCheck={false}
              value={body}
              onChange={event => setBody(event.target.value)}
            />
            <div className={css.sendRow}>
              <Segmented
                aria-label="QoS"
                size="small"
                value={qos}
                options={QOS.map(value => ({ value, label: `QoS ${value}` }))}
                onChange={value => setQos(value)}
              />
              <Button htmlType="submit" disabled={state !== 'connected'}>
                {t('clients.publish')}
              </Button>
            </div>
          </form>
          <Alert type="info" showIcon title={t('clients.onlyOne')} />
        </div>
        <MessageLog log={log} testid="mqtt-log" />
      </div>
    </Panel>
  )
}
