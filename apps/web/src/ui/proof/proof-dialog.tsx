import { Alert, Button, Input, Modal, Segmented, Skeleton } from 'antd'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Body, call } from '../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../lib/errors.ts'
import type { OpenProof } from '../../lib/proof.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import css from './proof.module.css'

type Method = Body<'security.prove'>['method']
const SENT = new Set<Method>(['sms', 'mail'])

/** "Confirm that it is you": by any of the ways the server offers; counts ten minutes for this session. */
export function ProofDialog({ question }: { question: OpenProof }) {
  const { t } = useTranslation('proof')
  const options = useRead('security.proofOptions', {}, { gcTime: 0, staleTime: 0 })
  const methods: readonly Method[] = options.data?.methods ?? []
  const id = useId()
  const [chosen, setChosen] = useState<Method | null>(null)
  const method = chosen ?? methods[0] ?? null
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [sent, setSent] = useState(false)

  const run = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      if (!isSilent(error))
        setFailure(error instanceof DOMException ? t('passkeyCancelled') : errorFacts(error).message)
    } finally {
      setBusy(false)
    }
  }
  const prove = (body: Body<'security.prove'>) =>
    run(async () => {
      await call('security.prove', { body })
      question.answer(true)
    })
  const withPasskey = () =>
    run(async () => {
      // Each answer uses its challenge up.
      const fresh = await call('security.proofOptions')
      if (!fresh.passkey) throw new Error('no passkey')
      const { startAuthentication } = await import('@simplewebauthn/browser')
      const response = await startAuthentication({ optionsJSON: fresh.passkey.options as never })
      const { challengeId } = fresh.passkey
      await call('security.prove', { body: { method: 'passkey', challengeId, response: { ...response } } })
      question.answer(true)
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!method || busy) return
    if (method === 'passkey') void withPasskey()
    else if (text.trim() === '') setFailure(t('empty'))
    else void prove(method === 'password' ? { method, password: text } : { method, code: text.trim() })
  }
  const sendCode = (channel: 'sms' | 'mail') =>
    run(async () => {
      await call('security.sendCode', { body: { channel, purpose: 'proof' } })
      setSent(true)
    })

  return (
    <Modal
      open
      width={420}
      title={t('title')}
      onCancel={() => question.answer(false)}
      footer={null}
      destroyOnHidden
      data-testid="proof-dialog"
    >
      <p className={css.lead}>{t('lead')}</p>
      {options.isPending && <Skeleton active paragraph={{ rows: 2 }} />}
      {options.isError && <Alert type="error" showIcon title={errorFacts(options.error).message} />}
      {options.isSuccess && method === null && <Alert type="warning" showIcon title={t('noWay')} />}
      {method && (
        <form onSubmit={submit} noValidate>
          {methods.length > 1 && (
            <Segmented
              className={css.ways ?? ''}
              value={method}
              options={methods.map(value => ({ value, label: t(`way.${value}`) }))}
              onChange={value => {
                setChosen(value)
                setText('')
                setFailure(null)
              }}
            />
          )}
          {method !== 'passkey' && (
            <div className={css.field}>
              <label htmlFor={id}>{t(`field.${method}`)}</label>
              <span className={css.row}>
                {method === 'password' ? (
                  <Input.Password
                    key="password"
                    id={id}
                    autoFocus
                    autoComplete="current-password"
                    maxLength={256}
                    value={text}
                    data-testid="proof-input"
                    onChange={event => setText(event.target.value)}
                  />
                ) : (
                  <Input
                    key="code"
                    id={id}
                    autoFocus
                    autoComplete="one-time-code"
                    inputMode={method === 'backup' ? 'text' : 'numeric'}
                    maxLength={32}
                    value={text}
                    data-testid="proof-input"
                    onChange={event => setText(event.target.value)}
                  />
                )}
                {SENT.has(method) && (
                  <Button disabled={busy || sent} onClick={() => void sendCode(method as 'sms' | 'mail')}>
                    {t(sent ? 'sent' : 'send')}
                  </Button>
                )}
              </span>
            </div>
          )}
          {method === 'passkey' && <p className={css.lead}>{t('passkeyLead')}</p>}
          {failure && (
            <p className={css.failure} role="alert">
              {failure}
            </p>
          )}
          <div className={css.foot}>
            <Button onClick={() => question.answer(false)}>{t('cancel')}</Button>
            <Button type="primary" htmlType="submit" loading={busy} data-testid="proof-submit">
              {t(method === 'passkey' ? 'usePasskey' : 'confirm')}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  )
}
