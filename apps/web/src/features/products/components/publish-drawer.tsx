import { useQuery } from '@tanstack/react-query'
import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Alert, Button, Checkbox, Drawer, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { showError } from '../../../lib/errors.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { useProductChanged } from '../hooks.ts'
import css from '../products.module.css'
import { ChangeList } from './change-list.tsx'

/** What publishing would change and whom it touches, from the server; breaking changes are agreed to one by hand. */
export function PublishDrawer({ product, onClose }: { product: ProductDetail; onClose: () => void }) {
  const { t } = useTranslation('products')
  const changed = useProductChanged()
  const [agreed, setAgreed] = useState(false)
  const [busy, setBusy] = useState(false)
  const diff = useQuery({
    queryKey: ['products', 'diff', product.id, product.version],
    queryFn: ({ signal }) => call('products.modelDiff', { params: { id: product.id }, signal }),
    gcTime: 0,
  })
  const changes = (diff.data?.changes ?? []).map(change => ({
    ...change,
    attributes: texts(change.detail.attributes),
    breaking: change.breaking ? texts(change.detail.breaking) : [],
  }))
  const first = product.modelVersion === 0
  const breaking = first ? 0 : changes.filter(change => change.breaking.length > 0).length
  const publish = async () => {
    setBusy(true)
    try {
      const next = await call('products.publish', { params: { id: product.id } })
      changed(next)
      notify.success(t('publishedVersion', { name: next.name, version: next.modelVersion }))
      onClose()
    } catch (error) {
      showError(error)
      setBusy(false)
    }
  }
  return (
    <Drawer
      open
      size={560}
      title={t('publishTitle', { name: product.name })}
      onClose={onClose}
      footer={
        <div className={css.drawerFoot}>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            type="primary"
            danger={breaking > 0}
            loading={busy}
            disabled={!diff.data || (breaking > 0 && !agreed)}
            onClick={() => void publish()}
          >
            {t('publish')}
          </Button>
        </div>
      }
    >
      {diff.isError ? (
        <ErrorState error={diff.error} onRetry={() => void diff.refetch()} />
      ) : !diff.data ? (
        <Skeleton active />
      ) : (
        <>
          <p className={css.lead}>
            {t('publishText', { version: product.modelVersion + 1, devices: formatNumber(diff.data.deviceCount) })}
          </p>
          {breaking > 0 && (
            <Alert
              className={css.alert ?? ''}
              type="warning"
              showIcon
              title={t('breakingTitle', { count: breaking })}
              description={t('breakingText')}
            />
          )}
          {changes.length === 0 ? <p>{t('noChanges')}</p> : <ChangeList changes={changes} />}
          {breaking > 0 && (
            <Checkbox checked={agreed} onChange={event => setAgreed(event.target.checked)}>
              {t('breakingAgree', { devices: formatNumber(diff.data.deviceCount) })}
            </Checkbox>
          )}
        </>
      )}
    </Drawer>
  )
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter(item => typeof item === 'string') : [])
