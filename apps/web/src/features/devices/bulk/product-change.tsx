import type { BatchTarget, DeviceChange } from '@thingwright/contracts/device-batches.contract'
import { Alert, Checkbox, Select } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useProductCatalogue } from '../hooks.ts'
import css from './bulk.module.css'
import { Question } from './question.tsx'

/** Chooses another product for devices, and shows what that keeps and what it loses before anything happens. */
export function ProductChange({
  title,
  okText,
  busy,
  target,
  onRun,
  onClose,
}: {
  title: string
  okText: string
  busy: boolean
  target: BatchTarget
  onRun: (change: DeviceChange) => void
  onClose: () => void
}) {
  const { t } = useTranslation('bulk')
  const id = useId()
  const { choices, setQ, loading } = useProductCatalogue()
  const [productId, setProductId] = useState<string | null>(null)
  const [accepted, setAccepted] = useState(false)
  const preview = useRead(
    'deviceBatches.preview',
    { body: { target, productId: productId ?? '' } },
    { enabled: productId !== null },
  )
  const mapping = preview.data?.mapping
  const lossy = (mapping?.lost.length ?? 0) > 0
  return (
    <Question
      title={title}
      okText={okText}
      busy={busy}
      danger
      disabled={productId === null || !mapping || (lossy && !accepted)}
      onClose={onClose}
      onOk={() => productId && onRun({ action: 'product', productId, acceptLoss: accepted })}
    >
      <div className={css.stack}>
        <div>
          <label className={css.label} htmlFor={id}>
            {t('product')}
          </label>
          <Select
            id={id}
            style={{ width: '100%' }}
            value={productId}
            options={choices}
            loading={loading || preview.isFetching}
            showSearch={{ filterOption: false, onSearch: setQ }}
            placeholder={t('chooseProduct')}
            onChange={next => {
              setProductId(next)
              setAccepted(false)
            }}
          />
        </div>
        <p className={css.hint}>{t('productHint')}</p>
        {mapping && (
          <>
            <p className={css.line}>{t('mappingKept', { count: mapping.kept.length })}</p>
            {mapping.numbersTaken > 0 && (
              <Alert type="warning" showIcon title={t('mappingTaken', { count: mapping.numbersTaken })} />
            )}
            {lossy && (
              <Alert
                type="warning"
                showIcon
                title={t('mappingLost', { count: mapping.lost.length })}
                description={
                  <>
                    <p className={css.lost}>{mapping.lost.map(({ identifier }) => identifier).join(', ')}</p>
                    <Checkbox checked={accepted} onChange={event => setAccepted(event.target.checked)}>
                      {t('mappingAccept')}
                    </Checkbox>
                  </>
                }
              />
            )}
          </>
        )}
      </div>
    </Question>
  )
}
