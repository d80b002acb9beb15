import { Alert, Checkbox, Input, InputNumber, Modal, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { SecretText } from '../../ui/secret-text.tsx'
import { ManySelect } from '../../ui/thing-pickers.tsx'
import css from './company-transfers.module.css'

const FIRST_HOURS = 72
const MOST_HOURS = 720

type Target = Body<'companyTransfers.create'>['target']

/**
 * Offers devices to another company: chosen one by one, or all of a product. The code is shown once.
 * @param chosen what was chosen elsewhere: it is not asked for again
 */
export function OfferDialog({
  chosen,
  onClose,
}: {
  chosen?: { target: Target; count: number } | undefined
  onClose: () => void
}) {
  const { t } = useTranslation('company-transfers')
  const [by, setBy] = useState<'devices' | 'product'>('devices')
  const [ids, setIds] = useState<string[]>([])
  const [productIds, setProductIds] = useState<string[]>([])
  const [withHistory, setHistory] = useState(true)
  const [withTriggers, setTriggers] = useState(false)
  const [hours, setHours] = useState(FIRST_HOURS)
  const [note, setNote] = useState('')
  const { run, pending, reply } = useAct('companyTransfers.create', { touches: ['devices'] })
  if (reply)
    return (
      <Modal open width={560} title={t('codeTitle')} footer={null} onCancel={onClose}>
        <Alert type="warning" showIcon title={t('codeOnce')} />
        <p className={css.code}>
          <SecretText value={reply.code} />
        </p>
        <p>{t('codeText', { count: reply.total, until: formatDateTime(reply.expiresAt) })}</p>
      </Modal>
    )
  const [productId] = productIds
  const isEmpty = !chosen && (by === 'devices' ? ids.length === 0 : productId === undefined)
  const target: Target = chosen?.target ?? (by === 'devices' ? { ids } : { filter: { productId: productId ?? '' } })
  return (
    <Modal
      open
      width={560}
      title={t('offerTitle')}
      okText={t('offerOk')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: pending, disabled: isEmpty }}
      onOk={() =>
        void run({ body: { target, withHistory, withTriggers, hours, ...(note.trim() ? { note: note.trim() } : {}) } })
      }
      onCancel={onClose}
    >
      <p>{t('offerText')}</p>
      {chosen ? (
        <p>
          <strong>{t('chosenDevices', { count: chosen.count, text: formatNumber(chosen.count) })}</strong>
        </p>
      ) : (
        <>
          <Radio.Group
            className={css.field}
            value={by}
            onChange={event => setBy(event.target.value as 'devices' | 'product')}
            options={[
              { value: 'devices', label: t('byDevices') },
              { value: 'product', label: t('byProduct') },
            ]}
          />
          <div className={css.field}>
            <label htmlFor="transfer-what">{t(by === 'devices' ? 'whichDevices' : 'whichProduct')}</label>
            {by === 'devices' ? (
              <ManySelect
                kind="device"
                id="transfer-what"
                value={ids}
                onChange={setIds}
                disabled={pending}
                placeholder={t('searchDevices')}
              />
            ) : (
              <ManySelect
                kind="product"
                id="transfer-what"
                value={productIds}
                onChange={chosen => setProductIds(chosen.slice(-1))}
                disabled={pending}
                placeholder={t('searchProducts')}
              />
            )}
          </div>
        </>
      )}
      <p>
        <Checkbox checked={withHistory} onChange={event => setHistory(event.target.checked)}>
          {t('withHistory')}
        </Checkbox>
      </p>
      <p>
        <Checkbox checked={withTriggers} onChange={event => setTriggers(event.target.checked)}>
          {t('withTriggers')}
        </Checkbox>
      </p>
      <div className={css.field}>
        <label htmlFor="transfer-hours">{t('hours')}</label>
        <InputNumber
          id="transfer-hours"
          min={1}
          max={MOST_HOURS}
          precision={0}
          value={hours}
          onChange={value => setHours(value ?? FIRST_HOURS)}
        />
      </div>
      <div className={css.field}>
        <label htmlFor="transfer-note">{t('note')}</label>
        <Input.TextArea
          id="transfer-note"
          maxLength={500}
          autoSize={{ minRows: 2, maxRows: 6 }}
          value={note}
          onChange={event => setNote(event.target.value)}
        />
      </div>
    </Modal>
  )
}
