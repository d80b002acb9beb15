import type { ChainStep } from '@thingwright/contracts/device-identity.contract'
import { CHAIN_STEPS } from '@thingwright/contracts/device-identity.words'
import { Button, Drawer, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from './product-identity.module.css'

/** Details that are words; all others are facts and shown as they are. */
const WORDS: ReadonlySet<string> = new Set([
  'not_a_certificate',
  'is_a_ca',
  'no_name',
  'not_yet',
  'expired',
  'unknown_ca',
  'ca_expired',
  'unproven',
  'disabled',
  'active',
  'wrong_signature',
  'revoked',
  'unknown_device',
  'ambiguous',
])

/** Walks a client certificate through a sign-in and shows the first step that breaks. */
export function ChainTest({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('product-identity')
  const [pem, setPem] = useState('')
  const [steps, setSteps] = useState<ChainStep[] | null>(null)
  const { run, pending } = useAct('deviceCas.test', { own: false, done: reply => setSteps(reply.steps) })
  return (
    <Drawer open size={720} title={t('testChain')} onClose={onClose}>
      <p>{t('testText')}</p>
      <Input.TextArea
        rows={8}
        className={css.pem ?? ''}
        aria-label={t('deviceCertificate')}
        placeholder="-----BEGIN CERTIFICATE-----"
        value={pem}
        maxLength={16_384}
        onChange={event => {
          setPem(event.target.value)
          setSteps(null)
        }}
      />
      <p>
        <Button
          type="primary"
          loading={pending}
          disabled={pem.trim().length < 64}
          onClick={() => void run({ body: { certificate: pem } })}
        >
          {t('runTest')}
        </Button>
      </p>
      {steps && (
        <ol className={css.steps} aria-label={t('testChain')}>
          {CHAIN_STEPS.map(name => {
            const step = steps.find(each => each.step === name)
            return (
              <li key={name}>
                <StatusTag kind={!step ? 'neutral' : step.ok ? 'success' : 'error'}>{t(`steps.${name}`)}</StatusTag>
                <span className={css.detail}>
                  {!step
                    ? t('notReached')
                    : step.detail !== null && WORDS.has(step.detail)
                      ? t(`details.${step.detail}`)
                      : (step.detail?.replaceAll('\n', ', ') ?? t('fine'))}
                </span>
              </li>
            )
          })}
        </ol>
      )}
    </Drawer>
  )
}
