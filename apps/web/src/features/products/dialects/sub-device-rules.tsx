import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Radio, Skeleton } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { LazySelect } from '../../../ui/lazy-select/lazy-select.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import css from './dialects.module.css'
import { useSetSubDeviceRules, useSubDeviceRules, useSubProducts } from './use-dialects.ts'

/** No product: what is not bound is refused. */
const NONE = 'none'

/** Of a gateway product: what decides whether a device below it is online. */
export function SubDeviceRules({ product }: { product: ProductDetail }) {
  const { t } = useTranslation('dialects')
  const mayWrite = useMay('dialects.setSubDevices')
  const { data, error, refetch } = useSubDeviceRules(product.id)
  const { run, pending: busy } = useSetSubDeviceRules(product.id, () => notify.success(t('saved')))
  const products = useSubProducts()
  const choices = useMemo(() => {
    const found = (products.data?.items ?? []).map(({ id, name }) => ({
      value: id,
      label: t('below.makeOf', { name }),
    }))
    const now = data?.autoCreateProductId
    if (now && !found.some(choice => choice.value === now))
      found.push({ value: now, label: t('below.makeOf', { name: data.autoCreateProductName ?? now }) })
    return [{ value: NONE, label: t('below.refuse') }, ...found]
  }, [products.data, data, t])
  const save = (change: { presence?: 'gateway' | 'silence'; autoCreateProductId?: string | null }) => {
    if (!data) return
    const { presence, autoCreateProductId, version } = data
    void run({ params: { id: product.id }, body: { presence, autoCreateProductId, ...change, version } })
  }
  return (
    <Panel title={t('below.title')} hint={t('below.hint')}>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 2 }} />
      ) : (
        <div className={css.rules}>
          <Radio.Group
            value={data.presence}
            disabled={!mayWrite || busy}
            aria-label={t('below.title')}
            options={[
              { value: 'gateway', label: t('below.gateway') },
              { value: 'silence', label: t('below.silence') },
            ]}
            onChange={event => save({ presence: event.target.value as 'gateway' | 'silence' })}
          />
          <div className={css.rule}>
            <span id="auto-create">{t('below.unknown')}</span>
            <LazySelect
              value={data.autoCreateProductId ?? NONE}
              aria-label={t('below.unknown')}
              className={css.choice}
              disabled={!mayWrite || busy}
              options={choices}
              onChange={value => save({ autoCreateProductId: value === NONE ? null : (value as string) })}
            />
          </div>
        </div>
      )}
    </Panel>
  )
}
