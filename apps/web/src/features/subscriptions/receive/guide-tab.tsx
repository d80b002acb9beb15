import type { SubscriptionOptions, SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { useSubscriptionOptions } from '../hooks.ts'
import { CodeBox } from '../mono-box.tsx'
import css from '../subscriptions.module.css'
import { type ClientFacts, clientSamples } from './client-samples.ts'
import { EXAMPLE_DATA } from './example-data.ts'
import { LANGUAGE_NAME, SIGNATURE_LANGUAGES, signatureSample } from './signature-samples.ts'

/** How to receive: code that runs, what the messages look like, and what may be relied on. */
export function GuideTab({ view }: { view: SubscriptionView }) {
  const { t } = useTranslation('subscriptions')
  const webhook = view.target.kind === 'webhook'
  return (
    <div className={css.guide}>
      <Stack>
        {webhook ? <SignatureCode /> : <ClientCode view={view} />}
        {(view.target.kind === 'websocket' || view.target.kind === 'pull') && (
          <Panel title={t('guide.keyTitle')}>
            <p className={css.text}>
              <Words text={t('guide.keyText')} /> <Link to="/develop/LinkInterface">{t('guide.keyLink')}</Link>
            </p>
          </Panel>
        )}
      </Stack>
      <Stack>
        <Panel title={t('guide.rulesTitle')}>
          <ul className={css.guideList}>
            {(['once', 'order', 'answer', 'retry', 'dead', 'pause'] as const)
              .filter(rule => holds(rule, view.target.kind))
              .map(rule => (
                <li key={rule}>
                  <Words text={t(`guide.rules.${rule}`)} />
                </li>
              ))}
            <li>{t(`guide.delivered.${view.target.kind}`)}</li>
          </ul>
        </Panel>
        {webhook && (
          <Panel title={t('guide.signatureTitle')}>
            <div className={css.column}>
              <p className={css.text}>
                <Words text={t('guide.signatureText')} />
              </p>
              <CodeBox
                label={t('guide.code')}
                text={
                  'Thingwright-Signature: t=1795000000000,n=4f1c…,v1=9a0b…\nThingwright-Subscription: …\nThingwright-Attempt: 1'
                }
              />
            </div>
          </Panel>
        )}
        <Messages view={view} />
      </Stack>
    </div>
  )
}

/** Whoever reads by himself is neither retried nor given up. */
function holds(rule: string, kind: SubscriptionView['target']['kind']): boolean {
  if (rule === 'answer') return kind === 'webhook'
  return kind !== 'pull' || rule === 'once' || rule === 'order'
}

function SignatureCode() {
  const { t } = useTranslation('subscriptions')
  const [language, setLanguage] = useState<(typeof SIGNATURE_LANGUAGES)[number]>('node')
  return (
    <Panel title={t('guide.receiverTitle')} hint={t('guide.receiverHint')}>
      <div className={css.column}>
        <Segmented
          aria-label={t('guide.language')}
          value={language}
          options={SIGNATURE_LANGUAGES.map(each => ({ value: each, label: LANGUAGE_NAME[each] }))}
          onChange={setLanguage}
        />
        <CodeBox label={t('guide.code')} text={signatureSample(language)} />
      </div>
    </Panel>
  )
}

function ClientCode({ view }: { view: SubscriptionView }) {
  const { t } = useTranslation('subscriptions')
  const { data: options } = useSubscriptionOptions()
  const [at, setAt] = useState(0)
  if (!options) return null
  const samples = clientSamples(view.target.kind, clientFacts(view, options))
  const sample = samples[at] ?? samples[0]
  if (!sample) return null
  return (
    <Panel title={t('guide.clientTitle')} hint={t(`guide.clientHint.${view.target.kind}`)}>
      <div className={css.column}>
        <Segmented
          aria-label={t('guide.language')}
          value={at}
          options={samples.map(({ name }, index) => ({ value: index, label: name }))}
          onChange={setAt}
        />
        <CodeBox label={t('guide.code')} text={sample.code} />
      </div>
    </Panel>
  )
}

/** Where a client goes: what the server says of itself, what the subscription says of its target. */
function clientFacts({ id, target }: SubscriptionView, { mqtt }: SubscriptionOptions): ClientFacts {
  return {
    subscriptionId: id,
    origin: window.location.origin,
    host: mqtt.host,
    mqttPort: mqtt.port,
    username: target.username ?? `sub/${id}`,
    subject: target.subject ?? 'things.>',
    natsUrl: target.url ?? '',
    brokers: target.brokers?.join(',') ?? '',
    topic: target.topic ?? '',
  }
}

/** One example of each kind that the subscription carries. */
function Messages({ view }: { view: SubscriptionView }) {
  const { t } = useTranslation('subscriptions')
  const [kind, setKind] = useState(view.kinds[0] ?? 'property')
  if (view.payload.format !== 'envelope') return null
  const item = {
    id: ['command', 'lifecycle', 'firmware', 'alarm'].includes(kind) ? 'e8131' : 'j3-90817',
    type: kind,
    ts: 1_795_000_000_000,
    productKey: 'f3a9k2m7',
    deviceNo: 'SN-001',
    deviceId: '019a9c1e-5d1b-7c53-a9a3-2f6a3a7c9d10',
    data: EXAMPLE_DATA[kind],
  }
  return (
    <Panel title={t('guide.messagesTitle')} hint={t('guide.messagesHint')}>
      <div className={css.column}>
        {view.kinds.length > 1 && (
          <Segmented
            aria-label={t('kinds')}
            value={kind}
            options={view.kinds.map(each => ({ value: each, label: t(`kind.${each}`) }))}
            onChange={setKind}
          />
        )}
        <CodeBox
          label={t('guide.code')}
          text={JSON.stringify(
            view.target.kind === 'webhook' || view.target.kind === 'pull' ? { items: [item] } : item,
            null,
            2,
          )}
        />
      </div>
    </Panel>
  )
}

/** A text in which what stands between backticks is code. */
function Words({ text }: { text: string }) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))
}
