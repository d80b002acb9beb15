import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Alert, Button, Modal } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { isSilent } from '../../../lib/errors.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { Facts } from '../../../ui/panel.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { MonoBox } from '../mono-box.tsx'
import { shownBody } from '../payload-text.ts'
import css from '../subscriptions.module.css'
import { reasonText } from '../words.ts'

type Outcome = Reply<'subscriptions.test'>

const ALERT = { ok: 'success', partial: 'warning', retry: 'error', refused: 'error', away: 'warning' } as const

/** Sends one marked sample and shows what went out and what came back. */
export function TestDialog({ view, onClose }: { view: SubscriptionView; onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [busy, setBusy] = useState(true)
  const { send } = useAct('subscriptions.test', { always: true, done: setOutcome })
  const run = useRef(async () => {
    setBusy(true)
    setFailure(null)
    try {
      await send({ params: { id: view.id } })
    } catch (error) {
      if (isSilent(error)) onClose()
      else setFailure(error)
    } finally {
      setBusy(false)
    }
  })
  const begun = useRef(false)
  useEffect(() => {
    // Once, also where a development build mounts twice: every run reaches the receiver.
    if (begun.current) return
    begun.current = true
    void run.current()
  }, [])
  return (
    <Modal
      open
      width={720}
      title={t('testTitle', { name: view.name })}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button type="primary" loading={busy} onClick={() => void run.current()}>
            {t('testAgain')}
          </Button>
        </>
      }
    >
      <div className={css.column} aria-live="polite" data-testid="test-result">
        {failure !== null && <FormAlert error={failure} />}
        {outcome === null && failure === null && <p className={css.text}>{t('testRunning')}</p>}
        {outcome && (
          <>
            <Alert
              type={ALERT[outcome.result]}
              showIcon
              title={t(`testResult.${outcome.result}`)}
              description={
                outcome.result === 'ok' || outcome.result === 'away'
                  ? t(`testHint.${outcome.result}`)
                  : [reasonText(outcome.reason, t), outcome.detail].filter(Boolean).join(' · ')
              }
            />
            <Facts
              items={[
                { label: t('statusCode'), value: outcome.status === null ? '–' : String(outcome.status) },
                {
                  label: t('latency'),
                  value: outcome.latencyMs === null ? '–' : formatNumber(outcome.latencyMs, { unit: 'ms' }),
                },
                { label: t('contentType'), value: <code className={css.mono}>{outcome.contentType}</code> },
              ]}
            />
            <MonoBox label={t('sent')} text={shownBody(outcome.body)} copied={outcome.body} />
            {outcome.answer !== null && outcome.answer !== '' && (
              <MonoBox label={t('answered')} text={shownBody(outcome.answer)} copied={outcome.answer} />
            )}
          </>
        )}
      </div>
    </Modal>
  )
}
