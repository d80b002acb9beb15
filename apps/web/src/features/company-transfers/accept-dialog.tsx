import { Alert, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { ManySelect } from '../../ui/thing-pickers.tsx'
import css from './company-transfers.module.css'

const MIN_CODE = 16

/** Takes devices that another company offers: first the code, then which product its devices get. */
export function AcceptDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('company-transfers')
  const navigate = useNavigate()
  const [code, setCode] = useState('')
  const [chosen, setChosen] = useState<Record<string, string | undefined>>({})
  const find = useAct('companyTransfers.find', { own: false })
  const accept = useAct('companyTransfers.accept', {
    touches: ['devices', 'products', 'tasks'],
    done: reply => {
      notify.success(t('accepted'))
      onClose()
      void navigate(`/manage/company-transfers?transfer=${reply.id}`)
    },
  })
  const offer = find.reply
  if (!offer)
    return (
      <Modal
        open
        width={560}
        title={t('acceptTitle')}
        okText={t('next')}
        cancelText={t('cancel')}
        okButtonProps={{ loading: find.pending, disabled: code.trim().length < MIN_CODE }}
        onOk={() => void find.run({ body: { code: code.trim() } })}
        onCancel={onClose}
      >
        <p>{t('acceptText')}</p>
        <div className={css.field}>
          <label htmlFor="transfer-code">{t('code')}</label>
          <Input
            id="transfer-code"
            autoComplete="off"
            spellCheck={false}
            maxLength={64}
            value={code}
            onChange={event => setCode(event.target.value)}
            onPressEnter={() => code.trim().length >= MIN_CODE && void find.run({ body: { code: code.trim() } })}
          />
        </div>
      </Modal>
    )
  const products = offer.products.map(({ id }) => ({ from: id, to: chosen[id] ?? null }))
  return (
    <Modal
      open
      width={640}
      title={t('offerOf', { name: offer.fromName })}
      okText={t('acceptOk', { count: offer.total, text: formatNumber(offer.total) })}
      cancelText={t('cancel')}
      okButtonProps={{ loading: accept.pending }}
      onOk={() => void accept.run({ body: { code: code.trim(), products } })}
      onCancel={onClose}
    >
      <p>
        {t(offer.withHistory ? 'historyYes' : 'historyNo')} · {t(offer.withTriggers ? 'triggersYes' : 'triggersNo')} ·{' '}
        {t('until', { time: formatDateTime(offer.expiresAt) })}
      </p>
      <Alert type="warning" showIcon title={t('rotateHint')} />
      {offer.note !== '' && <Alert type="info" title={offer.note} />}
      {offer.products.map(product => (
        <div key={product.id} className={css.field}>
          <label htmlFor={`product-${product.id}`}>
            {t('productOf', {
              name: product.name,
              link: product.linkType,
              count: product.devices,
              text: formatNumber(product.devices),
            })}
          </label>
          <ManySelect
            kind="product"
            id={`product-${product.id}`}
            value={chosen[product.id] === undefined ? [] : [chosen[product.id]!]}
            onChange={ids => setChosen(before => ({ ...before, [product.id]: ids.at(-1) }))}
            disabled={accept.pending}
            placeholder={t('copyProduct')}
          />
        </div>
      ))}
    </Modal>
  )
}
