import type { TriggerPresetView } from '@thingwright/contracts/trigger-presets.contract'
import { Alert, Modal, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import css from '../contacts.module.css'

const MOST_PRODUCTS = 20

/** Makes the triggers of a preset for the products that are chosen, and says of each what became of it. */
export function ApplyDialog({ preset, onClose }: { preset: TriggerPresetView; onClose: () => void }) {
  const { t } = useTranslation('contacts')
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<{ value: string; label: string }[]>([])
  const products = useRead('products.list', { query: { limit: 50, status: 'published', ...(q ? { q } : {}) } })
  const apply = useAct('triggerPresets.apply', { notice: false, touches: ['triggers'] })
  const { reply } = apply
  return (
    <Modal
      open
      width={520}
      title={t('preset.applyTitle', { name: preset.name })}
      okText={t(reply ? 'preset.close' : 'preset.apply')}
      cancelText={t('cancel')}
      {...(reply ? { cancelButtonProps: { style: { display: 'none' } } } : {})}
      okButtonProps={{ loading: apply.pending, disabled: chosen.length === 0 }}
      onOk={() =>
        reply
          ? onClose()
          : void apply.run({
              params: { id: preset.id },
              body: { productIds: chosen.map(one => one.value) },
            })
      }
      onCancel={onClose}
    >
      <div className={css.stack}>
        {apply.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(apply.error).message} />}
        <p>{t('preset.applyText', { count: preset.triggers.length, text: formatNumber(preset.triggers.length) })}</p>
        <Select
          mode="multiple"
          labelInValue
          disabled={reply !== undefined}
          aria-label={t('preset.products')}
          placeholder={t('preset.products')}
          maxCount={MOST_PRODUCTS}
          loading={products.isFetching}
          value={chosen}
          options={(products.data?.items ?? []).map(one => ({ value: one.id, label: one.name }))}
          showSearch={{ filterOption: false, onSearch: setQ }}
          onChange={setChosen}
        />
        {reply && (
          <div aria-live="polite" className={css.stack}>
            <Alert
              type={reply.failed.length > 0 ? 'warning' : 'success'}
              showIcon
              title={t('preset.done', {
                made: formatNumber(reply.made.length),
                there: formatNumber(reply.there.length),
                failed: formatNumber(reply.failed.length),
              })}
            />
            {reply.failed.map(one => (
              <p key={`${one.productId} ${one.trigger}`} dir="auto">
                {t('preset.failed', { product: one.productName, trigger: one.trigger, why: one.message })}
              </p>
            ))}
          </div>
        )}
      </div>
    </Modal>
  )
}
