import type { ModbusPolling } from '@thingwright/contracts/links.contract'
import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { InputNumber } from '../../../ui/input-number.tsx'
import { PRODUCT_FORMAT } from '../addresses.ts'
import { LinkField, LinkSection } from './link-fields.tsx'
import css from './product-link.module.css'
import type { LinkDraft } from './use-link-draft.ts'

const FIELDS: readonly { key: keyof ModbusPolling; min: number; max: number }[] = [
  { key: 'cycleSeconds', min: 1, max: 86_400 },
  { key: 'slave', min: 1, max: 247 },
  { key: 'timeoutMs', min: 100, max: 10_000 },
  { key: 'retries', min: 0, max: 5 },
  { key: 'maxGap', min: 0, max: 8 },
  { key: 'pauseMs', min: 0, max: 1_000 },
]

/** How often and how the register table is asked for. */
export function PollingFields({
  draft,
  productId,
  hasTable,
  disabled,
}: {
  draft: LinkDraft
  productId: string
  hasTable: boolean
  disabled: boolean
}) {
  const { t } = useTranslation('product-link')
  const { modbus } = draft.settings
  return (
    <LinkSection title={t('modbus.title')} hint={t('modbus.hint')}>
      {!hasTable && (
        <Alert
          type="info"
          showIcon
          title={t('modbus.noTable')}
          description={<Link to={`${PRODUCT_FORMAT}?id=${productId}`}>{t('modbus.toTable')}</Link>}
        />
      )}
      <div className={css.grid}>
        {FIELDS.map(({ key, min, max }) => (
          <LinkField
            key={key}
            label={t(`modbus.${key}`)}
            help={t(`modbus.${key}Help`)}
            problem={draft.problems[`modbus.${key}`]}
          >
            <InputNumber
              aria-label={t(`modbus.${key}`)}
              min={min}
              max={max}
              precision={0}
              disabled={disabled}
              value={modbus[key]}
              onChange={value => value !== null && draft.change({ modbus: { ...modbus, [key]: value } })}
            />
          </LinkField>
        ))}
      </div>
    </LinkSection>
  )
}
