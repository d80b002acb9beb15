import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { HomeCardProps } from '../../lib/home-cards.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import css from './start.module.css'
import { type Added, DeviceStep } from './steps/device-step.tsx'
import { MessageStep } from './steps/message-step.tsx'
import { ProductStep } from './steps/product-step.tsx'
import { useFirstMessage } from './use-first-message.ts'

const CENTER = '/manage/device/DeviceSet/DeviceCenter'

/** Leads a company of which no device was ever heard to its first message. It is not there for any other. */
export function StartCard({ onHide }: HomeCardProps) {
  const mayAdd = useMay('devices.create')
  const mayInstall = useMay('productLibrary.install')
  const counts = useRead('devices.counts', {}, { enabled: mayAdd })
  // A user who began the guide sees its last step, also when devices were heard meanwhile.
  const [led, setLed] = useState(false)
  const { data } = counts
  const isNew = data !== undefined && data.online + data.offline === 0
  if (isNew && !led && mayInstall) setLed(true)
  return led && mayAdd && mayInstall ? <Steps onHide={onHide} /> : null
}

function Steps({ onHide }: Pick<HomeCardProps, 'onHide'>) {
  const { t } = useTranslation('start')
  const products = useRead('products.list', { query: { limit: 1, sort: '-createdAt' } })
  const devices = useRead('devices.list', { query: { limit: 1, sort: '-createdAt' } })
  const [added, setAdded] = useState<Added | null>(null)
  const product = products.data?.items[0] ?? null
  const device = added ?? devices.data?.items[0] ?? null
  const message = useFirstMessage(device?.id ?? null)
  const received = message !== null && !message.refused
  if (products.data === undefined || devices.data === undefined) return null
  const steps = [product !== null || device !== null, device !== null, received]
  const open = steps.indexOf(false)
  const state = (at: number) => (steps[at] ? 'done' : at === open ? 'now' : 'later')
  return (
    <section className={css.card} aria-label={t('title')} data-testid="start">
      <header className={css.head}>
        <h2>{t('title')}</h2>
        <span className={css.progress} role="status">
          {t('progress', { done: steps.filter(Boolean).length })}
        </span>
        <span className={css.bar} aria-hidden="true">
          <i style={{ width: `${(steps.filter(Boolean).length / 3) * 100}%` }} />
        </span>
        <Button type="link" onClick={onHide}>
          {t('dismiss')}
        </Button>
      </header>
      <ol className={css.steps}>
        <Step
          state={state(0)}
          number={1}
          title={t('product.title')}
          extra={
            product && (
              <Link to={`/manage/product/ProductSet/ProductSetInfo?id=${product.id}`}>{t('product.open')}</Link>
            )
          }
        >
          {steps[0] ? <p>{product?.name}</p> : <ProductStep />}
        </Step>
        <Step
          state={state(1)}
          number={2}
          title={t('device.title')}
          extra={device && <Link to={`${CENTER}?id=${device.id}`}>{t('device.open')}</Link>}
        >
          {device ? (
            <p dir="auto">{device.name}</p>
          ) : product ? (
            <DeviceStep productId={product.id} onAdded={setAdded} />
          ) : null}
        </Step>
        <Step
          state={state(2)}
          number={3}
          title={t('message.title')}
          extra={received && device && <Link to={`${CENTER}?id=${device.id}`}>{t('message.live')}</Link>}
        >
          {device ? <MessageStep device={device} added={added} message={message} /> : <p>{t('message.later')}</p>}
        </Step>
      </ol>
    </section>
  )
}

function Step({
  state,
  number,
  title,
  extra,
  children,
}: {
  state: 'done' | 'now' | 'later'
  number: number
  title: string
  extra?: ReactNode
  children: ReactNode
}) {
  const { t } = useTranslation('start')
  return (
    <li className={css.step} data-state={state} data-testid={`start-step-${number}`}>
      <span className={css.mark} aria-hidden="true">
        {state === 'done' ? '✓' : number}
      </span>
      <div className={css.content}>
        <h3>
          {title}
          {state !== 'later' && <span className={css.tag}>{t(state)}</span>}
          {extra && <span className={css.extra}>{extra}</span>}
        </h3>
        {children}
      </div>
    </li>
  )
}
